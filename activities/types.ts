import type { Micros } from '../contract/money.ts';
import type { ServiceLevel } from '../contract/states.ts';
import type { RunDiff } from '../src/ledger/diff-run.ts';
import type { Plan } from '../src/ledger/make-plan.ts';
import type { RunSummary } from '../src/ledger/run-summary.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, RunId, WatchId } from '../src/submission/ids.ts';

/** What crosses between workflows and activities: ids, counts and short texts, never URL lists. */

export interface WatchRun {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly run: RunId;
}

export interface PlanRunInput extends WatchRun {
  /** A cap of this run alone, under the watch's own. */
  readonly maxCost?: Micros;
}

/** Counts of a run's diff, as people read them. */
export type RunCounts = RunDiff;

export interface CrawlReport {
  readonly urls: number;
  readonly sitemaps: number;
  readonly complete: boolean;
  /** The first few, in words; the ledger has them all. */
  readonly problems: readonly string[];
}

/** Why a run waits for a person, with a few of the URLs that made it wait. */
export interface Hold {
  readonly reasons: readonly string[];
  readonly sample: readonly string[];
}

/** What a run planned. `held`: URLs that caps do not allow now, with the reason. */
export type PlanReport = Pick<Plan, 'batches' | 'urls' | 'cost' | 'basis' | 'held' | 'heldReason'>;

/** What became of a run's batches. */
export type RunReport = Pick<
  RunSummary,
  'batches' | 'submitted' | 'completed' | 'failed' | 'open' | 'quarantined' | 'stopped' | 'charged' | 'untoldUrls'
>;

/** What one turn of the dispatcher did. */
export type Turn =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sent';
      readonly batch: BatchId;
      readonly watch: WatchId;
      readonly urls: number;
      readonly service: ServiceLevel;
      /** What became of it, in a few words. */
      readonly outcome: string;
    }
  /** The balance, a floor or a cap does not allow the next batch. */
  | { readonly kind: 'parked'; readonly reason: string }
  /** The key was refused. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface TrackInput {
  readonly account: AccountId;
  readonly watch: WatchId;
  readonly batch: BatchId;
  readonly key: IdempotencyKey;
  readonly reference: Reference;
  readonly service: ServiceLevel;
  readonly urls: number;
  /** When the service took it, in milliseconds since 1970. */
  readonly acceptedAt: number;
  /** Wait before the first look, in milliseconds. */
  readonly firstLookMs: number;
}

/** What a look at a job brought, when there was something new to see. */
export interface Look {
  readonly state: string;
  readonly terminal: boolean;
  readonly completed: number;
  readonly failed: number;
  /** Longer open than the account's patience: a person should ask the service. */
  readonly overdue: boolean;
}

export type CheckTurn =
  | { readonly kind: 'idle' }
  | { readonly kind: 'checked'; readonly urls: number; readonly found: number; readonly charged: Micros }
  | { readonly kind: 'stopped'; readonly reason: string };
