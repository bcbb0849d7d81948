import type { Micros } from '../../../contract/money.ts';
import type { BalanceReading } from '../../ledger/money/balance-readings.ts';
import type { BookedPurchase, PurchaseInDoubt } from '../../ledger/reports/audited-purchases.ts';
import type { AccountId, Reference, RunId, WatchId } from '../../submission/ids.ts';

/** Whole days in UTC: from the start of the first to the end of the last. */
export interface AuditPeriod {
  readonly from: number;
  readonly until: number;
}

/** A job as the service shows it. */
export interface ListedJob {
  readonly reference: Reference;
  readonly state: string | null;
  readonly project: string | null;
  readonly createdAt: number | null;
  readonly urlCount: number | null;
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
}

/** The service's list of jobs. `why`: it could not be read. */
export type JobList =
  | { readonly kind: 'read'; readonly jobs: readonly ListedJob[] }
  | { readonly kind: 'not_read'; readonly why: string };

/** What the ledger and the service have of one account. */
export interface Facts {
  readonly account: AccountId;
  readonly period: AuditPeriod;
  /** Of the period, of the windows between the readings, and those of listed jobs that were booked at another time. */
  readonly booked: readonly BookedPurchase[];
  readonly inDoubt: readonly PurchaseInDoubt[];
  readonly list: JobList;
  /** Jobs that the list lacks, each asked for by its reference; null: the service does not know it. */
  readonly lookedUp: ReadonlyMap<Reference, ListedJob | null>;
  /** Jobs that an operator declared to be none of this ledger. */
  readonly foreign: ReadonlySet<Reference>;
  /** Projects under which this ledger buys, as they are compared. */
  readonly isOwnProject: (project: string) => boolean;
  /** The oldest first, at least from the last one before the period. */
  readonly readings: readonly BalanceReading[];
  /** Why the balance could not be read now; null: it was, or is not needed. */
  readonly balanceFailure: string | null;
}

export type EntryKind = 'submission' | 'check';

/** `by_balance`: no list shows it, and the balance between two readings is all that can confirm it. */
export type EntryStatus = 'same' | 'differs' | 'only_here' | 'only_there' | 'by_balance' | 'not_compared';

/** What explains an entry that is not the same on both sides, or why it could not be compared. */
export type EntryWhy =
  /** The journal assumed an amount, because the service did not report one. */
  | 'assumed'
  /** The service shows less than it charged. */
  | 'refunded'
  /** The service shows more than it said. */
  | 'charged_more'
  /** An attempt may have been charged; the ledger still asks. */
  | 'in_doubt'
  /** An operator ended the batch without knowing; it counts as charged. */
  | 'left'
  | 'not_listed'
  /** The list ends with younger jobs. */
  | 'older_than_list'
  | 'list_not_read'
  | 'not_looked_up'
  | 'no_charge_shown'
  | 'charge_unknown'
  /** An operator declared that it does not belong to this ledger. */
  | 'declared_foreign'
  | 'other_program'
  /** It has a tag of this program, or a project of this ledger: of a lost ledger, or of another installation. */
  | 'other_ledger';

/** Those that leave no question open. */
const EXPLAINED: ReadonlySet<EntryWhy> = new Set([
  'assumed',
  'refunded',
  'in_doubt',
  'declared_foreign',
  'other_program',
]);
export const isExplained = (why: EntryWhy | null): boolean => why === null || EXPLAINED.has(why);

/** One purchase on both sides. */
export interface AuditEntry {
  readonly kind: EntryKind;
  readonly status: EntryStatus;
  /** Null where the sides are the same. */
  readonly why: EntryWhy | null;
  /** The UTC day on which caps count it; null: they do not. */
  readonly day: number | null;
  /** It counts on a day outside of the period, and the service has it inside, or the other way round. */
  readonly isOtherDay: boolean;
  /** When the service created the job, else since when it may have been charged, else when it was booked. */
  readonly at: number;
  readonly watch: WatchId | null;
  readonly run: RunId | null;
  /** The number of the batch or index-check in the ledger. */
  readonly id: number | null;
  readonly reference: Reference | null;
  readonly project: string | null;
  readonly state: string | null;
  readonly urls: number | null;
  /** In the journal; null: it has nothing. */
  readonly journal: Micros | null;
  /** What caps count. */
  readonly counted: Micros | null;
  /** What the service shows; null: nothing. */
  readonly service: Micros | null;
  /** By how much the service charged more than the journal has; null: not known. */
  readonly difference: Micros | null;
}

/** What the balance did between two readings, and what nothing explains of it. */
export interface AuditWindow {
  /** Nothing was moved from outside up to the first and from the second on. */
  readonly from: number;
  readonly until: number;
  readonly before: Micros;
  readonly after: Micros;
  /** What purchases of this ledger cost, and jobs of others that the service lists. */
  readonly journal: Micros;
  readonly others: Micros;
  /** Above zero: spent by somebody else. Below zero: a refund or a top-up. */
  readonly external: Micros;
}

export type UnknownCode =
  | 'list_not_read'
  | 'list_ends_early'
  | 'charges_not_shown'
  | 'times_not_shown'
  | 'not_looked_up'
  | 'checks_in_no_list'
  | 'charge_unknown'
  | 'in_doubt'
  | 'no_readings'
  | 'before_first_reading'
  | 'after_last_reading'
  | 'balance_not_read'
  | 'balance_not_compared';

/** What the audit cannot know. */
export interface AuditUnknown {
  readonly code: UnknownCode;
  readonly from: number | null;
  readonly until: number | null;
  readonly entries: number;
  readonly amount: Micros | null;
  /** What a service or a network said; null: nothing. */
  readonly detail: string | null;
}

export interface AuditTotals {
  /** Entries that are the same on both sides. */
  readonly same: number;
  /** What the journal has charged or assumed in the period, index-checks included. */
  readonly journal: Micros;
  readonly checks: Micros;
  /** What may be charged as well: in doubt. */
  readonly inDoubt: Micros;
  /** The journal, corrected by what the service shows: `journal` + `difference`. */
  readonly service: Micros;
  readonly difference: Micros;
  readonly explained: Micros;
  readonly notExplained: Micros;
  /** Entries and movements of the balance that nothing explains. Two may cancel in the amount, and never here. */
  readonly questions: number;
  /** What could not be compared with the list. */
  readonly notCompared: Micros;
  /** Spent from outside, and given back or topped up, by the balance. */
  readonly externalSpent: Micros;
  readonly externalReceived: Micros;
  /** What the journal only assumes, and was not charged as far as the balance shows. */
  readonly notCharged: Micros;
}

/** What the balance was at both ends; null without readings. */
export interface AuditBalance {
  readonly from: number;
  readonly until: number;
  readonly before: Micros;
  readonly after: Micros;
}

export interface Audit {
  readonly account: AccountId;
  readonly period: AuditPeriod;
  readonly entries: readonly AuditEntry[];
  /** Those in which the balance did what nothing explains. */
  readonly windows: readonly AuditWindow[];
  readonly balance: AuditBalance | null;
  readonly unknowns: readonly AuditUnknown[];
  readonly totals: AuditTotals;
}
