import type { Micros } from '../../contract/money.ts';
import type { RunDay } from '../ledger/reports/run-days.ts';
import type { Spending } from '../ledger/reports/spending.ts';
import type { DueUrls, QuarantinedUrls, WaitingBatch } from '../ledger/reports/waiting.ts';
import type { WatchDay } from '../ledger/reports/watch-days.ts';
import type { AccountId, BatchId, Reference, WatchId } from '../submission/ids.ts';
import type { Spread } from './percentile.ts';

/** Stages of a URL that are measured from the run that first found it in a sitemap. */
export const STAGES = ['accepted', 'completed', 'found'] as const;
export type Stage = (typeof STAGES)[number];

/** What a report shows. Times are epoch milliseconds, days begin at 00:00 UTC, money is in micro-lira. */
export interface Report {
  readonly madeAt: number;
  /** Start of the first day and of the last one, which is today. */
  readonly since: number;
  readonly today: number;
  readonly watches: readonly WatchReport[];
  readonly accounts: readonly AccountReport[];
  readonly stages: readonly StageReport[];
  /** By how many URLs they failed, most first. */
  readonly failures: readonly Failure[];
  /** URLs that failed for other reasons than those listed. */
  readonly otherFailures: number;
  readonly slowest: readonly SlowJob[];
  /** Since when figures of purchases and of index-checks are whole, where that is later than `since`; else null. */
  readonly purchasesSince: number | null;
  readonly checksSince: number | null;
  /** Before this, details of index-checks were removed (`retention`); null when none were. */
  readonly checkDetailsFrom: number | null;
}

export interface WatchReport {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly runs: readonly RunDay[];
  readonly counts: readonly WatchDay[];
  /** URLs that were listed when the watch began, and that were taken over without buying them. */
  readonly adopted: number;
  /** The first day on which the URLs of the watch were counted. */
  readonly countedSince: number | null;
  readonly checks: readonly CheckShare[];
  readonly due: DueUrls;
  readonly quarantine: readonly QuarantinedUrls[];
}

/** URLs that index-checks looked for on a day, and those that they found. */
export interface CheckShare {
  readonly day: number;
  readonly urls: number;
  readonly found: number;
}

export interface AccountReport {
  readonly account: AccountId;
  readonly balance: Micros | null;
  readonly balanceAt: number | null;
  /** Its caps; null without one, and where the report leaves out some of its watches. */
  readonly perDay: Micros | null;
  readonly perMonth: Micros | null;
  readonly chargedThisMonth: Micros;
  readonly days: readonly SpendDay[];
  readonly waiting: readonly WaitingBatch[];
  /** All that wait, by kind; a count of MAX_COUNTED means that or more. */
  readonly waits: Readonly<Record<WaitingBatch['kind'], number>>;
}

export type SpendDay = Omit<Spending, 'watch' | 'account' | 'from'> & { readonly day: number };

export interface StageReport {
  readonly stage: Stage;
  readonly all: Spread | null;
  /** By the day on which the stage was reached. */
  readonly days: readonly (Spread & { readonly day: number })[];
}

export interface Failure {
  /** In the words of the service; null when it gave none. */
  readonly reason: string | null;
  readonly urls: number;
}

export interface SlowJob {
  readonly batch: BatchId;
  readonly watch: WatchId;
  readonly reference: Reference | null;
  readonly urls: number;
  readonly acceptedAt: number;
  readonly ms: number;
}
