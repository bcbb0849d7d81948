import { Type } from 'typebox';
import {
  type CommandOutput,
  count,
  flag,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  optional,
  text,
} from '../../src/cli-kit/record-schema.ts';
import { embed, fieldsOf, named, plainRecord, type RecordTable, recordOf } from '../../src/cli-kit/record-table.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditEvent } from '../accounts/audit-events.ts';
import type { Entry } from '../accounts/entries.ts';
import type { ApiKey, CreatedKey } from '../accounts/keys.ts';
import type { Price } from '../accounts/prices.ts';
import type { Statement } from '../accounts/statement.ts';
import type { Difference } from '../operations/audit.ts';
import type { Backup } from '../operations/backup.ts';
import type { SubmissionRecord as Submission } from '../operations/submissions.ts';

export const toListeningRecord = plainRecord({
  type: named('listening', 'The service answers requests. Comes before the version record.'),
  base_url: text('address of the API'),
});

export const toNoticeRecord = plainRecord({
  type: named('notice', 'A warning about the settings.'),
  notice: text('what it is, and what to do'),
});

export interface AccountChange {
  readonly password?: string;
  readonly repeated?: boolean;
}

export const toAccountRecord = recordOf<Account & AccountChange>()({
  type: named('account', 'An account.'),
  id: [text('id of the account'), (it) => it.publicId],
  name: text('name of the account'),
  status: text('active, suspended or closed'),
  status_reason: nullable(text('why')),
  balance_micros: micros('balance'),
  price_standard_micros: [micros('price per URL, standard'), (it) => it.prices.standard],
  price_fast_micros: [micros('price per URL, fast'), (it) => it.prices.fast],
  password: [optional(text('for the dashboard; only from `account create`, shown once')), (it) => it.password],
  repeated: [optional(flag('the reference was used before, nothing was changed')), (it) => it.repeated],
});

export const toPasswordRecord = plainRecord({
  type: named('password', 'A new password for the dashboard, shown this once.'),
  name: text('name of the account'),
  password: text('the password'),
});

export const toResetLinkRecord = plainRecord({
  type: named('reset_link', 'A link with which the customer sets a new password.'),
  name: text('name of the account'),
  link: text('the link'),
});

export const toEventRecord = recordOf<AuditEvent>()({
  type: named('event', 'A change, and who made it.'),
  id: count('later events have higher numbers'),
  account: text('name of the account'),
  event: text('what happened'),
  actor: text('who did it'),
  address: nullable(text('network address; of an operator also user and machine')),
  details: Type.Unsafe<AuditEvent['details']>({ description: 'by kind of event' }),
  created_at: [instant('when'), (it) => it.created_at],
});

const SERVICE_LEVELS = ['standard', 'fast'] as const;

export const toPriceRecord = recordOf<Price>()({
  type: named('price', 'A price that an account had.'),
  service: oneOf(SERVICE_LEVELS, 'service level'),
  price_micros: micros('price per URL'),
  reason: nullable(text('why')),
  from: [instant('beginning'), (it) => it.created_at],
});

const entryFields = fieldsOf<Entry>()({
  kind: text('charge, restore, top_up, refund or adjustment'),
  amount_micros: micros('negative when money leaves the account'),
  reference: nullable(text("the operator's invoice, transfer or case")),
  reason: nullable(text('why')),
  created_at: [instant('when'), (it) => it.created_at],
});

export const toEntryRecord = recordOf<Entry>()({
  type: named('entry', 'An entry of a statement.'),
  ...embed(entryFields, (it: Entry) => it),
  subject: text('what it was for'),
  balance_after_micros: [micros('balance after it'), (it) => it.balance_after],
});

export const toStatementRecord = recordOf<Statement & { readonly name: string }>()({
  type: named('statement', 'The sums of a statement, after its entries.'),
  name: text('name of the account'),
  from: instant('beginning'),
  to: instant('end, not included'),
  opening_balance_micros: [micros('balance at its beginning'), (it) => it.opening],
  closing_balance_micros: [micros('balance at its end'), (it) => it.closing],
  totals_micros: [
    Type.Record(Type.String(), Type.Integer(), { description: 'sum by kind' }),
    (it) => ({ ...it.totals }),
  ],
  entries: [count('number of entries'), (it) => it.entries.length],
});

export const toKeyRecord = recordOf<ApiKey & Partial<CreatedKey>>()({
  type: named('key', 'An API key.'),
  id: text('id of the key'),
  name: text('what it is for'),
  prefix: text('its first characters'),
  api_key: [optional(text('the key, shown only when it is made')), (it) => it.apiKey],
  created_at: instant('when'),
  expires_at: nullable(instant('end')),
  replaced_by: nullable(text('id of its successor')),
  revoked_at: nullable(instant('when revoked')),
});

export interface SubmissionChange {
  readonly failedNow?: number;
  readonly refundedNow?: number;
  readonly repeated?: boolean;
}

export const toSubmissionRecord = recordOf<Submission & SubmissionChange>()({
  type: named('submission', 'A submission of any account.'),
  reference: text('reference of the job'),
  account: text('name of the account'),
  project: nullable(text('project of the job')),
  service: oneOf(SERVICE_LEVELS, 'service level'),
  status: text('queued, processing, completed, partial or failed'),
  urls: [count('URLs in it'), (it) => it.url_count],
  completed: [count('URLs completed'), (it) => it.urls_completed],
  failed: [count('URLs failed'), (it) => it.urls_failed],
  price_per_url_micros: [micros('price per URL'), (it) => it.price],
  charged_micros: micros('charge'),
  refunded_micros: micros('refunds'),
  accepted_at: [instant('when accepted'), (it) => it.created_at],
  dispatched_at: [nullable(instant('when handed to processing')), (it) => it.dispatched_at],
  started_at: [nullable(instant('when processing began')), (it) => it.started_at],
  finished_at: [nullable(instant('when it ended')), (it) => it.finished_at],
  entries: [list(Type.Object(entryFields.schemas), 'oldest first'), (it) => it.entries.map(entryFields.read)],
  failed_now: [optional(count('failed by this command; only from `submission fail`')), (it) => it.failedNow],
  refunded_now_micros: [optional(micros('refunded by this command')), (it) => it.refundedNow],
  repeated: [optional(flag('the reference was used before, nothing was changed')), (it) => it.repeated],
});

export const toDifferenceRecord = recordOf<Difference>()({
  type: named('difference', 'A rule that the tables break.'),
  rule: text('the rule'),
  subject: text('the account, entry, submission or index check'),
  expected: [text('required by the rule; amounts in micro-lira'), (it) => String(it.expected)],
  found: [text('in the tables; amounts in micro-lira'), (it) => String(it.found)],
});

export const toBackupRecord = recordOf<Backup>()({
  type: named('backup', 'A copy of the database.'),
  file: text('path'),
  bytes: count('size'),
  differences: [count('rules broken'), (it) => it.differences.length],
});

const prints = (...tables: readonly Pick<RecordTable<never>, 'schema'>[]): CommandOutput => ({
  records: tables.map(({ schema }) => schema),
  summary: {},
});

/** What every command of `courier-service` prints with --json. `schema` prints a JSON Schema instead. */
export const SERVICE_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  serve: { ...prints(toListeningRecord, toNoticeRecord), first: 'listening' },
  'account create': prints(toAccountRecord),
  'account list': prints(toAccountRecord),
  'account suspend': prints(toAccountRecord),
  'account resume': prints(toAccountRecord),
  'account close': prints(toAccountRecord),
  'account events': prints(toEventRecord),
  'account top-up': prints(toAccountRecord),
  'account adjust': prints(toAccountRecord),
  'account set-price': prints(toAccountRecord),
  'account prices': prints(toPriceRecord),
  'account statement': prints(toEntryRecord, toStatementRecord),
  'account reset-password': prints(toPasswordRecord),
  'account reset-link': prints(toResetLinkRecord),
  'key create': prints(toKeyRecord),
  'key list': prints(toKeyRecord),
  'key revoke': prints(toKeyRecord),
  'key regenerate': prints(toKeyRecord),
  'submission show': prints(toSubmissionRecord),
  'submission requeue': prints(toSubmissionRecord),
  'submission fail': prints(toSubmissionRecord),
  refund: prints(toSubmissionRecord),
  events: prints(toEventRecord),
  audit: prints(toDifferenceRecord),
  backup: prints(toBackupRecord, toDifferenceRecord),
};
