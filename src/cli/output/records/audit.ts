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
    from: instant('start of the first day, in UTC'),
    to: instant('end of the last day, in UTC'),
    list_read: flag('whether the list of the service was read'),
    entries: count('purchases and jobs compared'),
    same: count('those that are the same on both sides'),
    journal_micros: micros('what the journal has charged or assumed on these days'),
    checks_micros: micros('of it index checks, which are in no list'),
    in_doubt_micros: micros('what may have been charged as well'),
    service_micros: micros('the journal with all that the service says otherwise'),
    difference_micros: micros('`service_micros` less `journal_micros`'),
    explained_micros: micros('of the difference, what has a cause that is known'),
    not_explained_micros: micros('of the difference, what has none'),
    questions: count(
      'entries and movements of the balance that nothing explains; two may cancel in the amount, not here',
    ),
    not_compared_micros: micros('of the journal, what could not be compared with the list'),
    external_spent_micros: micros('what the balance lost beyond the journal and the list'),
    external_received_micros: micros('what the balance gained: refunds and top-ups'),
    balance_from_at: nullable(instant('when the first balance was read; null without two of them')),
    balance_from_micros: nullable(micros('that balance')),
    balance_to_at: nullable(instant('when the last balance was read')),
    balance_to_micros: nullable(micros('that balance')),
  },
);

const AuditEntryRecord = defineRecord('audit_entry', 'A purchase of the journal, a job of the service, or both.', {
  account: text('name of the account'),
  kind: oneOf(['submission', 'check'], 'what was bought'),
  status: oneOf(names(STATUS_WORDS), 'how the two sides compare'),
  why: nullable(
    oneOf(names(WHY_WORDS), 'why they are not the same, or were not compared; null where there is nothing to say'),
  ),
  day: nullable(text('day in UTC on which caps count it; null when the journal has not booked it')),
  other_day: flag('whether the service has it outside of the period and the journal inside, or the other way round'),
  created_at: instant('when the service created the job, else when it was sent or booked'),
  watch: nullable(text('name of the watch; null when the ledger does not know the job')),
  run: nullable(text('name of the run')),
  id: nullable(count('number of the batch or index check in the ledger')),
  reference: nullable(text('reference of the job')),
  project: nullable(text('project of the job, as the service shows it')),
  state: nullable(text('state of the job, as the service shows it')),
  urls: nullable(count('URLs bought')),
  journal_micros: nullable(micros('charge in the journal')),
  counted_micros: nullable(micros('amount that caps count')),
  service_micros: nullable(micros('charge that the service shows')),
  difference_micros: nullable(micros('by how much the service charged more; null when not known')),
});

const AuditWindowRecord = defineRecord('audit_window', 'What the balance did and nothing explains.', {
  account: text('name of the account'),
  from: instant('the balance was explained up to here'),
  to: instant('and from here on'),
  before_micros: micros('balance at the beginning'),
  after_micros: micros('balance at the end'),
  journal_micros: micros('what purchases of the ledger cost meanwhile'),
  others_micros: micros('what jobs of others cost that the service lists'),
  external_micros: micros('above zero: spent by somebody else; below zero: a refund or a top-up'),
});

const AuditUnknownRecord = defineRecord('audit_unknown', 'Something that the audit cannot know.', {
  account: text('name of the account'),
  code: oneOf(UNKNOWN_CODES, 'what is not known'),
  from: nullable(instant('since when; null where it is no time')),
  to: nullable(instant('until when')),
  entries: count('entries that it is about'),
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
      file: nullable(text('the file that was written; null when none was')),
      accounts: count('accounts compared'),
      questions: count('what nothing explains, in all of them'),
    },
  },
};
