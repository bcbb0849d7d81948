import type { Micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { AccountId, BatchId, Reference, RunId, WatchId } from '../submission/ids.ts';

interface OfAccount {
  readonly account: AccountId;
}

interface OfWatch extends OfAccount {
  readonly watch: WatchId;
}

interface OfRun extends OfWatch {
  readonly run: RunId;
}

export interface CrawlRead extends OfRun {
  readonly kind: 'crawl';
  readonly urls: number;
  readonly sitemaps: number;
  readonly complete: boolean;
  readonly problems: readonly string[];
  readonly tookMs: number;
}

export interface RunHeld extends OfRun {
  readonly kind: 'run_held';
  readonly reasons: readonly string[];
}

export interface RunDecided extends OfRun {
  readonly kind: 'run_decided';
  readonly decision: 'approved' | 'rejected';
  readonly by: string;
}

/** The workflow of a run is gone; the run ended before its work was done. */
export interface RunAbandoned extends OfRun {
  readonly kind: 'run_abandoned';
}

export interface RunEnded extends OfRun {
  readonly kind: 'run_ended';
  readonly complete: boolean;
  readonly found: number;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  readonly submitted: number;
  /** URLs that a cap or the balance keeps back. */
  readonly held: number;
  readonly heldReason: string | null;
  /** Batches that the dispatcher continues with. */
  readonly unanswered: number;
  readonly charged: Micros;
}

/** What the response to a batch meant, or its lookup in the list. */
export interface BatchAnswered extends OfWatch {
  readonly kind: 'batch';
  readonly batch: BatchId;
  readonly service: ServiceLevel;
  readonly outcome: string;
  readonly urls: number;
  /** Whether the service took the batch: by this response, before it, or not. */
  readonly accepted: 'now' | 'before' | 'no';
  /** Charged by this response; null when nothing was, or when the service did not report the amount. */
  readonly charged: Micros | null;
  readonly reference: Reference | null;
  readonly requestId: string | null;
  readonly reason: string | null;
}

export interface JobPolled extends OfAccount {
  readonly kind: 'poll';
  readonly reference: Reference;
  readonly state: string;
  /** From the time for which the poll was scheduled to its start. */
  readonly lagMs: number;
}

export interface JobEnded extends OfWatch {
  readonly kind: 'job_ended';
  readonly reference: Reference;
  readonly state: string;
  readonly completed: number;
  readonly failed: number;
  /** URLs of which the service never said what became of them. */
  readonly withoutResult: number;
}

export interface IndexChecked extends OfWatch {
  readonly kind: 'index_check';
  readonly urls: number;
  readonly found: number;
  readonly charged: Micros;
  readonly requestId: string | null;
}

/** Nothing of the account is sent: the funds do not suffice, its jobs are unknown, or its key is rejected. */
export interface AccountStopped extends OfAccount {
  readonly kind: 'suspended' | 'key_rejected';
  readonly reason: string;
}

/** The service accepts the key again. */
export interface KeyAccepted extends OfAccount {
  readonly kind: 'key_accepted';
}

/** One request to the service. */
export interface RequestMade extends OfAccount {
  readonly kind: 'request';
  readonly endpoint: string;
  /** Null without a response. */
  readonly status: number | null;
  readonly tookMs: number;
  /** Why the service counts as unavailable; null for a usable response. */
  readonly unavailable: string | null;
}

/** What happened in a worker, once the ledger has it. The log writes a line of it, and the metrics count it. */
export type WorkerEvent =
  | CrawlRead
  | RunHeld
  | RunDecided
  | RunAbandoned
  | RunEnded
  | BatchAnswered
  | JobPolled
  | JobEnded
  | IndexChecked
  | AccountStopped
  | KeyAccepted
  | RequestMade;

export type EmitEvent = (event: WorkerEvent) => void;

/** Hands each event to every sink. */
export const emitToAll =
  (...sinks: readonly EmitEvent[]): EmitEvent =>
  (event) => {
    for (const sink of sinks) sink(event);
  };
