import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  instant,
  micros,
  nullable,
  oneOf,
  text,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import type { Audit } from '../../../connector/audit/audit.ts';
import { formatDay } from '../../../submission/instant.ts';
import { formatUnknown } from '../audit-text.ts';
import { STATUS_WORDS, UNKNOWN_CODES, WHY_WORDS } from '../audit-words.ts';

const names = <T extends string>(words: Readonly<Record<T, unknown>>) => Object.keys(words) as T[];

const AuditRecord = defineRecord(
  'audit',
  'The totals of an account: its journal beside the list and the balance of its service.',
  {
    account: text('name of the account'),
    from: instant('start of the first day'),
    to: instant('end of the last day'),
    list_read: flag("the service's list was read"),
    entries: count('purchases and jobs compared'),
    same: count('same on both sides'),
    journal_micros: micros('charged or assumed by the journal'),
    checks_micros: micros('of it index checks, which are in no list'),
    in_doubt_micros: micros('may have been charged as well'),
    service_micros: micros('the journal corrected by the service'),
    difference_micros: micros('`service_micros` less `journal_micros`'),
    explained_micros: micros('of it, with a known cause'),
    not_explained_micros: micros('of it, with none'),
    questions: count('entries and balance movements that nothing explains'),
    not_compared_micros: micros('of the journal, not compared with the list'),
    external_spent_micros: micros('lost by the balance beyond journal and list'),
    external_received_micros: micros('refunds and top-ups'),
    balance_from_at: nullable(instant('first reading; null without two readings')),
    balance_from_micros: nullable(micros('balance then')),
    balance_to_at: nullable(instant('last reading')),
    balance_to_micros: nullable(micros('balance then')),
  },
);

const AuditEntryRecord = defineRecord('audit_entry', 'A purchase of the journal, a job of the service, or both.', {
  account: text('name of the account'),
  kind: oneOf(['submission', 'check'], 'what was bought'),
  status: oneOf(names(STATUS_WORDS), 'how the two sides compare'),
  why: nullable(oneOf(names(WHY_WORDS), 'why not the same, or not compared')),
  day: nullable(text('UTC day on which caps count it; null: not booked')),
  other_day: flag('one side has it inside the period, the other outside'),
  created_at: instant('creation of the job, else sent or booked'),
  watch: nullable(text('null when the ledger does not know the job')),
  run: nullable(text('name of the run')),
  id: nullable(count('batch or index check')),
  reference: nullable(text('reference of the job')),
  project: nullable(text('project of the job')),
  state: nullable(text('of the job, as the service shows it')),
  urls: nullable(count('URLs bought')),
  journal_micros: nullable(micros('charge in the journal')),
  counted_micros: nullable(micros('amount that caps count')),
  service_micros: nullable(micros('charge that the service shows')),
  difference_micros: nullable(micros('what the service charged more')),
});

const AuditWindowRecord = defineRecord('audit_window', 'What the balance did and nothing explains.', {
  account: text('name of the account'),
  from: instant('the balance is explained up to here'),
  to: instant('and from here on'),
  before_micros: micros('balance at the beginning'),
  after_micros: micros('balance at the end'),
  journal_micros: micros('purchases of the ledger'),
  others_micros: micros("jobs of others in the service's list"),
  external_micros: micros('positive: spent by others; negative: refund or top-up'),
});

const AuditUnknownRecord = defineRecord('audit_unknown', 'Something that the audit cannot know.', {
  account: text('name of the account'),
  code: oneOf(UNKNOWN_CODES, 'what is not known'),
  from: nullable(instant('beginning')),
  to: nullable(instant('end')),
  entries: count('entries concerned'),
  amount_micros: nullable(micros('their amount')),
  message: text('the same in words'),
});

type AuditRecords =
  | Static<typeof AuditRecord>
  | Static<typeof AuditEntryRecord>
  | Static<typeof AuditWindowRecord>
  | Static<typeof AuditUnknownRecord>;

/** The records of one account, its totals first. */
export function* listAuditRecords(audit: Audit): Generator<AuditRecords> {
  const { account, period, entries, windows, unknowns, totals, balance } = audit;
  yield {
    type: 'audit',
    account,
    from: toInstant(period.from),
    to: toInstant(period.until),
    list_read: unknowns.every(({ code }) => code !== 'list_not_read'),
    entries: entries.length,
    same: totals.same,
    journal_micros: totals.journal,
    checks_micros: totals.checks,
    in_doubt_micros: totals.inDoubt,
    service_micros: totals.service,
    difference_micros: totals.difference,
    explained_micros: totals.explained,
    not_explained_micros: totals.notExplained,
    questions: totals.questions,
    not_compared_micros: totals.notCompared,
    external_spent_micros: totals.externalSpent,
    external_received_micros: totals.externalReceived,
    balance_from_at: toInstantOrNull(balance?.from ?? null),
    balance_from_micros: balance?.before ?? null,
    balance_to_at: toInstantOrNull(balance?.until ?? null),
    balance_to_micros: balance?.after ?? null,
  };
  for (const entry of entries)
    yield {
      type: 'audit_entry',
      account,
      kind: entry.kind,
      status: entry.status,
      why: entry.why,
      day: entry.day === null ? null : formatDay(entry.day),
      other_day: entry.isOtherDay,
      created_at: toInstant(entry.at),
      watch: entry.watch,
      run: entry.run,
      id: entry.id,
      reference: entry.reference,
      project: entry.project,
      state: entry.state,
      urls: entry.urls,
      journal_micros: entry.journal,
      counted_micros: entry.counted,
      service_micros: entry.service,
      difference_micros: entry.difference,
    };
  for (const { from, until, before, after, journal, others, external } of windows)
    yield {
      type: 'audit_window',
      account,
      from: toInstant(from),
      to: toInstant(until),
      before_micros: before,
      after_micros: after,
      journal_micros: journal,
      others_micros: others,
      external_micros: external,
    };
  for (const unknown of unknowns)
    yield {
      type: 'audit_unknown',
      account,
      code: unknown.code,
      from: toInstantOrNull(unknown.from),
      to: toInstantOrNull(unknown.until),
      entries: unknown.entries,
      amount_micros: unknown.amount,
      message: formatUnknown(unknown),
    };
}

export const AUDIT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  audit: {
    records: [AuditRecord, AuditEntryRecord, AuditWindowRecord, AuditUnknownRecord],
    summary: {
      file: nullable(text('file written')),
      accounts: count('accounts compared'),
      questions: count('unexplained, in all of them'),
    },
  },
};
