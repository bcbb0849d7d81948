import type { Micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, RunId, WatchId } from '../submission/ids.ts';

/** The data passed between workflows and activities: ids, counts and short texts, never URL lists. */

export interface WatchRun {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly run: RunId;
}

export interface PlanRunInput extends WatchRun {
  /** A cap of this run alone, under the watch's own. */
  readonly maxCost?: Micros;
}

/** Counts of a run's diff. */
export interface RunCounts {
  /** In scope; a URL in two sitemaps counts once when the crawl was complete. */
  readonly found: number;
  readonly new: number;
  readonly changed: number;
  readonly known: number;
  /** No longer in any sitemap of the watch. Always 0 when the crawl was not complete. */
  readonly gone: number;
  readonly skipped: number;
  readonly complete: boolean;
  readonly firstRun: boolean;
}

export interface CrawlReport {
  readonly urls: number;
  readonly sitemaps: number;
  readonly complete: boolean;
  /** The first few, as text; the ledger has them all. */
  readonly problems: readonly string[];
  /** Hosts and globs of the watch that matched no URL of a complete crawl. */
  readonly unmatchedRules: readonly string[];
  /** Of sitemaps that were read whole as far as anybody can see: the first few that may not be; absent without any. */
  readonly doubts?: readonly string[];
  /** What 304s saved. */
  readonly saved: SavedTransfers;
  /** The first few hosts whose robots.txt asks for a delay; absent where none does. */
  readonly delays?: readonly HostDelay[];
}

/** Sitemaps that were not transferred, with the bytes and the milliseconds of their last transfer. */
export interface SavedTransfers {
  readonly sitemaps: number;
  readonly bytes: number;
  readonly ms: number;
}

/** The delay between two requests to a host, and the one that its robots.txt asks for, in milliseconds. */
export interface HostDelay {
  readonly host: string;
  readonly delayMs: number;
  readonly askedMs: number;
}

/** Why a run waits for your decision, as sentences, with a sample of its URLs. */
export interface GuardHold {
  readonly reasons: readonly string[];
  readonly sample: readonly string[];
  /** What an approval would buy. */
  readonly question: HoldQuestion;
  /** Only a cap, a price or the balance holds it: it goes on when these allow it. */
  readonly waitsForMoney: boolean;
  /** What ends it without a decision, as a sentence; absent where only a decision does. */
  readonly remedy?: string;
}

/** A decision on a held run, and whose it is. */
export interface RunDecided {
  readonly decision: 'approved' | 'rejected';
  readonly by: string;
}

export interface HoldQuestion {
  readonly urls: number;
  /** Null when no price is known. */
  readonly cost: Micros | null;
  /** How many of them the caps and the balance allow now. */
  readonly allowed: number;
  /** What the balance lacks for it and for what is planned already; null when that is not known. */
  readonly missing: Micros | null;
  /** Since when the run is held, in the zone of the watch. */
  readonly since: string;
}

/** How a run ended, by the watch's last runs. */
export interface RunVerdict {
  /** Runs in a row that were not complete, this one included; 0 when it is complete. */
  readonly incompleteRuns: number;
  /** The number of them that counts as a failure. */
  readonly limit: number;
}

/** What a run planned. `held`: URLs that caps do not allow now, with the reason. */
export interface PlanReport {
  readonly batches: number;
  readonly urls: number;
  /** Null when no price is known; see `basis`. */
  readonly cost: Micros | null;
  /** Where the price comes from. */
  readonly basis: 'learned' | 'configured' | 'unknown';
  readonly held: number;
  readonly heldReason: string | null;
}

/** The same with a few of the planned URLs. */
export interface PlanWithSample extends PlanReport {
  readonly sample: readonly string[];
}

/** The results of a run's batches. */
export interface RunReport {
  readonly batches: number;
  /** URLs the service has accepted. */
  readonly submitted: number;
  readonly completed: number;
  readonly failed: number;
  /** Planned or submitted, and without a result of their own. */
  readonly open: number;
  readonly quarantined: number;
  /** Their job ended without a result for them. */
  readonly withoutResult: number;
  /** The last batch that holds some of them; absent in results of earlier workers. */
  readonly withoutResultBatch?: number | null;
  /** In batches that need review. */
  readonly stopped: number;
  readonly charged: Micros;
  /** URLs with an unknown charge: accepted, and not in `charged`. */
  readonly unknownChargeUrls: number;
  /** Batches without an answer, which the dispatcher continues with. */
  readonly unanswered: number;
}

/** The result of one dispatch step. */
export type DispatchStep =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sent';
      readonly batch: BatchId;
      readonly watch: WatchId;
      readonly urls: number;
      readonly service: ServiceLevel;
      /** The result, in a few words. */
      readonly outcome: string;
    }
  /** The balance, the floor or a cap does not allow the next batch. */
  | { readonly kind: 'suspended'; readonly reason: string }
  /** The service rejects the API key. */
  | { readonly kind: 'key_rejected'; readonly reason: string };

export interface TrackInput {
  readonly account: AccountId;
  readonly watch: WatchId;
  readonly batch: BatchId;
  /** Null for a job that `courier recover` took from the service. */
  readonly key: IdempotencyKey | null;
  readonly reference: Reference;
  readonly service: ServiceLevel;
  readonly urls: number;
  /** When the service accepted it, in milliseconds since 1970. */
  readonly acceptedAt: number;
  /** Wait before the first poll, in milliseconds. */
  readonly firstPollMs: number;
  /** Null when the service did not say. */
  readonly charged: Micros | null;
  /** The time of the first poll, in the zone of the watch. */
  readonly firstPollAt: string;
  /** Each wait between polls is a timer with a summary: only for as many jobs as a reader can follow (decision 0007). */
  readonly showsPolls: boolean;
}

/** The result of a poll that found a change. */
export interface JobStatus {
  readonly state: string;
  readonly terminal: boolean;
  readonly completed: number;
  readonly failed: number;
  /** Open for longer than the tracking timeout: you should ask the service. */
  readonly overdue: boolean;
}

export type CheckStep =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'checked';
      readonly urls: number;
      readonly found: number;
      readonly charged: Micros;
      /** Why further checks are not worth their price; null when they are. */
      readonly stop: string | null;
    }
  | { readonly kind: 'stopped'; readonly reason: string };
