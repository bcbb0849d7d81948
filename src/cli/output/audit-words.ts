import type { AuditUnknown, EntryStatus, EntryWhy, UnknownCode } from '../../connector/audit/audit.ts';

/** Each status and reason in words, for people. */
export const STATUS_WORDS: Readonly<Record<EntryStatus, string>> = {
  same: 'the same',
  differs: 'amount differs',
  only_here: 'only here',
  only_there: 'only there',
  by_balance: 'by the balance',
  not_compared: 'not compared',
};

export const WHY_WORDS: Readonly<Record<EntryWhy, string>> = {
  assumed: 'the service did not say what it cost when it took it, so the journal assumed an amount',
  refunded: 'the service shows less than it charged: a refund',
  charged_more: 'the service shows more than it said: ask it why',
  in_doubt: 'it may have been charged; the ledger still asks, and caps count it',
  left: 'an operator ended it without knowing; it counts as charged',
  not_listed: 'the service took it, and neither lists nor shows it: ask the service',
  older_than_list: 'the list of the service begins later',
  list_not_read: 'the list could not be read',
  not_looked_up: 'the list lacks it, and it was not asked for by itself',
  no_charge_shown: 'the service shows no charge of it',
  charge_unknown: 'nobody has said what it cost',
  declared_foreign: 'you declared that it is not of this ledger ("courier recover --accept")',
  other_program: 'another program',
  other_ledger: 'a lost ledger, or another installation: "courier recover" takes it in',
};

const UNKNOWN_WORDS: Readonly<Record<UnknownCode, (unknown: Words) => string>> = {
  list_not_read: ({ entries, amount, detail }) =>
    `The list of the service could not be read${detail}. ${entries} of the journal (${amount}) were not compared, nor was what others bought.`,
  list_ends_early: ({ entries, amount, until }) => `The list begins at ${until}: ${entries} (${amount}) are older.`,
  charges_not_shown: ({ entries }) => `The service shows no charge of ${entries}.`,
  times_not_shown: ({ entries }) => `The service does not show when it created ${entries}: they may be of other days.`,
  not_looked_up: ({ entries, amount }) =>
    `The list lacks ${entries} (${amount}), and they were not asked for one by one.`,
  checks_in_no_list: ({ entries, amount }) =>
    `Index checks are in no list: ${entries} (${amount}) are confirmed by the balance alone.`,
  charge_unknown: ({ entries }) => `Nobody has said what ${entries} cost.`,
  in_doubt: ({ entries, amount }) => `${entries} (${amount}) may have been charged or not.`,
  no_readings: ({ from, until }) =>
    `Fewer than two balances are known from ${from} to ${until}: a refund, a top-up, or what others spent without a job, does not show.`,
  before_first_reading: ({ from, until }) => `No balance is known from ${from} to ${until}.`,
  after_last_reading: ({ from }) => `No balance is known after ${from} at which nothing was under way.`,
  balance_not_read: ({ detail }) => `The current balance could not be read${detail}.`,
  balance_not_compared: ({ from, until }) =>
    `From ${from} to ${until} something has a charge that nobody shows, so the balance proves nothing.`,
};

/** What the sentence of an unknown is made of, as texts. */
export interface Words {
  readonly entries: string;
  readonly amount: string;
  readonly from: string;
  readonly until: string;
  /** ": what was said"; empty: nothing was. */
  readonly detail: string;
}

export const describeUnknown = ({ code }: Pick<AuditUnknown, 'code'>, words: Words): string =>
  UNKNOWN_WORDS[code](words);

export const UNKNOWN_CODES = Object.keys(UNKNOWN_WORDS) as UnknownCode[];
