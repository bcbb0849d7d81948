import type { Micros } from '../../contract/money.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import type { CrawlReport, JobStatus, PlanReport, RunCounts, RunReport, TrackInput } from './payloads.ts';

/** The workflow signatures for their callers: nothing outside `workflows/` imports workflow code. */

export interface WatchInput {
  readonly watch: WatchId;
  readonly account: AccountId;
  /** planned: end when the dispatcher knows; accepted: when every batch has an answer; terminal: when every job ended. */
  readonly until: 'planned' | 'accepted' | 'terminal';
  /** Cap of this run alone, in micro-lira. What is due beyond it is held for a later run. */
  readonly maxCost?: Micros;
}

export interface WatchResult {
  readonly crawl: CrawlReport;
  readonly counts: RunCounts;
  readonly plan: PlanReport | null;
  readonly report: RunReport | null;
  readonly decision: 'none needed' | 'approved' | 'rejected';
}

export interface DispatchInput {
  readonly account: AccountId;
  /** Carried through continue-as-new, for the reader of the Web UI. */
  readonly sentBatches?: number;
  readonly sentUrls?: number;
}

export interface DispatchResult {
  readonly sentBatches: number;
  readonly sentUrls: number;
}

export interface CheckInput {
  readonly watch: WatchId;
  readonly account: AccountId;
  /** Carried through continue-as-new. */
  readonly soFar?: { readonly checked: number; readonly found: number; readonly charged: number };
}

export interface CheckResult {
  readonly checked: number;
  readonly found: number;
  readonly charged: Micros;
  /** Why it ended before everything due was checked; null when all was. */
  readonly stopped: string | null;
}

/** A result that begins with a sentence: what was done. */
export type WithSummary<Result> = { readonly summary: string } & Result;

/** One run of a watch: crawl, compare, plan, wake the dispatcher, wait for `until`. */
export type WatchSitemap = (input: WatchInput) => Promise<WithSummary<WatchResult>>;
/** Sends an account's planned batches. */
export type DispatchAccount = (input: DispatchInput) => Promise<WithSummary<DispatchResult>>;
/** Follows one accepted job to its terminal state. */
export type TrackSubmission = (input: TrackInput) => Promise<WithSummary<JobStatus>>;
/** Checks the URLs of a watch that are due. */
export type CheckIndex = (input: CheckInput) => Promise<WithSummary<CheckResult>>;

/** Workflow types, as the server stores them. */
export const WORKFLOW = {
  watchSitemap: 'watchSitemap',
  dispatchAccount: 'dispatchAccount',
  trackSubmission: 'trackSubmission',
  checkIndex: 'checkIndex',
} as const;
