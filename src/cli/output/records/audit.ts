import type { OutputRecord } from '../../../cli-kit/output.ts';
import {
  type CommandOutput,
  count,
  flag,
  instant,
  micros,
  nullable,
  oneOf,
  text,
} from '../../../cli-kit/record-schema.ts';
import { named, recordOf } from '../../../cli-kit/record-table.ts';
import type { Audit, AuditEntry } from '../../../connector/audit/audit.ts';
import { formatDay } from '../../../submission/instant.ts';
import { formatUnknown } from '../audit-text.ts';
import { STATUS_WORDS, UNKNOWN_CODES, WHY_WORDS } from '../audit-words.ts';

const names = <T extends string>(words: Readonly<Record<T, unknown>>) => Object.keys(words) as T[];

const toTotalsRecord = recordOf<Audit>()({
  type: named('audit', 'The totals of an account: its journal beside the list and the balance of its service.'),
  account: text('name of the account'),
  from: [instant('start of the first day'), ({ period }) => period.from],
  to: [instant('end of the last day'), ({ period }) => period.until],
  list_read: [
    flag("the service's list was read"),
    ({ unknowns }) => unknowns.every(({ code }) => code !== 'list_not_read'),
  ],
  entries: [count('purchases and jobs compared'), ({ entries }) => entries.length],
  same: [count('same on both sides'), ({ totals }) => totals.same],
  journal_micros: [micros('charged or assumed by the journal'), ({ totals }) => totals.journal],
  checks_micros: [micros('of it index checks, which are in no list'), ({ totals }) => totals.checks],
  in_doubt_micros: [micros('may have been charged as well'), ({ totals }) => totals.inDoubt],
  service_micros: [micros('the journal corrected by the service'), ({ totals }) => totals.service],
  difference_micros: [micros('`service_micros` less `journal_micros`'), ({ totals }) => totals.difference],
  explained_micros: [micros('of it, with a known cause'), ({ totals }) => totals.explained],
  not_explained_micros: [micros('of it, with none'), ({ totals }) => totals.notExplained],
  questions: [count('entries and balance movements that nothing explains'), ({ totals }) => totals.questions],
  not_compared_micros: [micros('of the journal, not compared with the list'), ({ totals }) => totals.notCompared],
  external_spent_micros: [micros('lost by the balance beyond journal and list'), ({ totals }) => totals.externalSpent],
  external_received_micros: [micros('refunds and top-ups'), ({ totals }) => totals.externalReceived],
  assumed_not_charged_micros: [
    micros('assumed by the journal, and not lost by the balance'),
    ({ totals }) => totals.notCharged,
  ],
  balance_from_at: [
    nullable(instant('first reading; null without two readings')),
    ({ balance }) => balance?.from ?? null,
  ],
  balance_from_micros: [nullable(micros('balance then')), ({ balance }) => balance?.before ?? null],
  balance_to_at: [nullable(instant('last reading')), ({ balance }) => balance?.until ?? null],
  balance_to_micros: [nullable(micros('balance then')), ({ balance }) => balance?.after ?? null],
});

interface OfAccount {
  readonly account: string;
}

const toEntryRecord = recordOf<AuditEntry & OfAccount>()({
  type: named('audit_entry', 'A purchase of the journal, a job of the service, or both.'),
  account: text('name of the account'),
  kind: oneOf(['submission', 'check'], 'what was bought'),
  status: oneOf(names(STATUS_WORDS), 'how the two sides compare'),
  why: nullable(oneOf(names(WHY_WORDS), 'why not the same, or not compared')),
  day: [
    nullable(text('UTC day on which caps count it; null: not booked')),
    ({ day }) => (day === null ? null : formatDay(day)),
  ],
  other_day: [flag('one side has it inside the period, the other outside'), ({ isOtherDay }) => isOtherDay],
  created_at: [instant('creation of the job, else sent or booked'), ({ at }) => at],
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

const toWindowRecord = recordOf<Audit['windows'][number] & OfAccount>()({
  type: named('audit_window', 'What the balance did and nothing explains.'),
  account: text('name of the account'),
  from: instant('the balance is explained up to here'),
  to: [instant('and from here on'), ({ until }) => until],
  before_micros: micros('balance at the beginning'),
  after_micros: micros('balance at the end'),
  journal_micros: micros('purchases of the ledger'),
  others_micros: micros("jobs of others in the service's list"),
  external_micros: micros('positive: spent by others; negative: refund or top-up'),
});

const toUnknownRecord = recordOf<Audit['unknowns'][number] & OfAccount>()({
  type: named('audit_unknown', 'Something that the audit cannot know.'),
  account: text('name of the account'),
  code: oneOf(UNKNOWN_CODES, 'what is not known'),
  from: nullable(instant('beginning')),
  to: [nullable(instant('end')), ({ until }) => until],
  entries: count('entries concerned'),
  amount_micros: nullable(micros('their amount')),
  message: [text('the same in words'), formatUnknown],
});

/** The records of one account, its totals first. */
export function* listAuditRecords(audit: Audit): Generator<OutputRecord> {
  const { account, entries, windows, unknowns } = audit;
  yield toTotalsRecord(audit);
  for (const entry of entries) yield toEntryRecord({ ...entry, account });
  for (const window of windows) yield toWindowRecord({ ...window, account });
  for (const unknown of unknowns) yield toUnknownRecord({ ...unknown, account });
}

export const AUDIT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  audit: {
    records: [toTotalsRecord.schema, toEntryRecord.schema, toWindowRecord.schema, toUnknownRecord.schema],
    summary: {
      file: nullable(text('file written')),
      accounts: count('accounts compared'),
      questions: count('unexplained, in all of them'),
    },
  },
};
