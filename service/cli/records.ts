import { type Static, Type } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  optional,
  text,
  toInstant,
  toInstantOrNull,
} from '../../src/cli-kit/record-schema.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditEvent } from '../accounts/audit-events.ts';
import type { Entry } from '../accounts/entries.ts';
import type { ApiKey, CreatedKey } from '../accounts/keys.ts';
import type { Statement } from '../accounts/statement.ts';
import type { Difference } from '../operations/audit.ts';
import type { SubmissionRecord as Submission } from '../operations/submissions.ts';

export const ListeningRecord = defineRecord(
  'listening',
  'The service answers requests. Comes before the version record.',
  {
    base_url: text('address of the API'),
  },
);

export const toListeningRecord = (baseUrl: string): Static<typeof ListeningRecord> => ({
  type: 'listening',
  base_url: baseUrl,
});

const NoticeRecord = defineRecord('notice', 'A warning about the settings.', {
  notice: text('what it is, and what to do'),
});

export const toNoticeRecord = (notice: string): Static<typeof NoticeRecord> => ({ type: 'notice', notice });

const AccountRecord = defineRecord('account', 'An account.', {
  id: text('id of the account'),
  name: text('name of the account'),
  status: text('active, suspended or closed'),
  status_reason: nullable(text('why')),
  balance_micros: micros('balance'),
  price_standard_micros: micros('price per URL, standard'),
  price_fast_micros: micros('price per URL, fast'),
  password: optional(text('for the dashboard; only from `account create`, shown once')),
  repeated: optional(flag('the reference was used before, nothing was changed')),
});

export const toAccountRecord = (
  account: Account,
  more: { readonly password?: string; readonly repeated?: boolean },
): Static<typeof AccountRecord> => ({
  type: 'account',
  id: account.publicId,
  name: account.name,
  status: account.status,
  status_reason: account.statusReason,
  balance_micros: account.balance,
  price_standard_micros: account.prices.standard,
  price_fast_micros: account.prices.fast,
  ...(more.password === undefined ? {} : { password: more.password }),
  ...(more.repeated === undefined ? {} : { repeated: more.repeated }),
});

const PasswordRecord = defineRecord('password', 'A new password for the dashboard, shown this once.', {
  name: text('name of the account'),
  password: text('the password'),
});

export const toPasswordRecord = (name: string, password: string): Static<typeof PasswordRecord> => ({
  type: 'password',
  name,
  password,
});

const ResetLinkRecord = defineRecord('reset_link', 'A link with which the customer sets a new password.', {
  name: text('name of the account'),
  link: text('the link'),
});

export const toResetLinkRecord = (name: string, link: string): Static<typeof ResetLinkRecord> => ({
  type: 'reset_link',
  name,
  link,
});

const EventRecord = defineRecord('event', 'A change, and who made it.', {
  id: count('later events have higher numbers'),
  account: text('name of the account'),
  event: text('what happened'),
  actor: text('who did it'),
  address: nullable(text('network address; of an operator also user and machine')),
  details: Type.Unsafe<AuditEvent['details']>({ description: 'by kind of event' }),
  created_at: instant('when'),
});

export const toEventRecord = (each: AuditEvent): Static<typeof EventRecord> => ({
  type: 'event',
  id: each.id,
  account: each.account,
  event: each.event,
  actor: each.actor,
  address: each.address,
  details: each.details,
  created_at: toInstant(each.created_at),
});

const SERVICE_LEVELS = ['standard', 'fast'] as const;
const PriceRecord = defineRecord('price', 'A price that an account had.', {
  service: oneOf(SERVICE_LEVELS, 'service level'),
  price_micros: micros('price per URL'),
  reason: nullable(text('why')),
  from: instant('beginning'),
});

export const toPriceRecord = (price: {
  readonly service: (typeof SERVICE_LEVELS)[number];
  readonly price: number;
  readonly reason: string | null;
  readonly created_at: number;
}): Static<typeof PriceRecord> => ({
  type: 'price',
  service: price.service,
  price_micros: price.price,
  reason: price.reason,
  from: toInstant(price.created_at),
});

const ENTRY_FIELDS = {
  kind: text('charge, restore, top_up, refund or adjustment'),
  amount_micros: micros('negative when money leaves the account'),
  reference: nullable(text("the operator's invoice, transfer or case")),
  reason: nullable(text('why')),
  created_at: instant('when'),
};
const EntryRecord = defineRecord('entry', 'An entry of a statement.', {
  ...ENTRY_FIELDS,
  subject: text('what it was for'),
  balance_after_micros: micros('balance after it'),
});

const toEntryFields = (entry: Entry) => ({
  kind: entry.kind,
  amount_micros: entry.amount,
  reference: entry.reference,
  reason: entry.reason,
  created_at: toInstant(entry.created_at),
});

export const toEntryRecord = (entry: Entry): Static<typeof EntryRecord> => ({
  type: 'entry',
  ...toEntryFields(entry),
  subject: entry.subject,
  balance_after_micros: entry.balance_after,
});

const StatementRecord = defineRecord('statement', 'The sums of a statement, after its entries.', {
  name: text('name of the account'),
  from: instant('beginning'),
  to: instant('end, not included'),
  opening_balance_micros: micros('balance at its beginning'),
  closing_balance_micros: micros('balance at its end'),
  totals_micros: Type.Record(Type.String(), Type.Integer(), {
    description: 'sum by kind',
  }),
  entries: count('number of entries'),
});

export const toStatementRecord = (
  name: string,
  { from, to, opening, closing, totals, entries }: Statement,
): Static<typeof StatementRecord> => ({
  type: 'statement',
  name,
  from: toInstant(from),
  to: toInstant(to),
  opening_balance_micros: opening,
  closing_balance_micros: closing,
  totals_micros: { ...totals },
  entries: entries.length,
});

const KeyRecord = defineRecord('key', 'An API key.', {
  id: text('id of the key'),
  name: text('what it is for'),
  prefix: text('its first characters'),
  api_key: optional(text('the key, shown only when it is made')),
  created_at: instant('when'),
  expires_at: nullable(instant('end')),
  replaced_by: nullable(text('id of its successor')),
  revoked_at: nullable(instant('when revoked')),
});

export const toKeyRecord = (key: ApiKey | CreatedKey): Static<typeof KeyRecord> => ({
  type: 'key',
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  ...('apiKey' in key ? { api_key: key.apiKey } : {}),
  created_at: toInstant(key.createdAt),
  expires_at: toInstantOrNull(key.expiresAt),
  replaced_by: key.replacedBy,
  revoked_at: toInstantOrNull(key.revokedAt),
});

const SubmissionRecord = defineRecord('submission', 'A submission of any account.', {
  reference: text('reference of the job'),
  account: text('name of the account'),
  project: nullable(text('project of the job')),
  service: oneOf(SERVICE_LEVELS, 'service level'),
  status: text('queued, processing, completed, partial or failed'),
  urls: count('URLs in it'),
  completed: count('URLs completed'),
  failed: count('URLs failed'),
  price_per_url_micros: micros('price per URL'),
  charged_micros: micros('charge'),
  refunded_micros: micros('refunds'),
  accepted_at: instant('when accepted'),
  dispatched_at: nullable(instant('when handed to processing')),
  started_at: nullable(instant('when processing began')),
  finished_at: nullable(instant('when it ended')),
  entries: list(Type.Object(ENTRY_FIELDS), 'oldest first'),
  failed_now: optional(count('failed by this command; only from `submission fail`')),
  refunded_now_micros: optional(micros('refunded by this command')),
  repeated: optional(flag('the reference was used before, nothing was changed')),
});

export interface SubmissionChange {
  readonly failedNow?: number;
  readonly refundedNow?: number;
  readonly repeated?: boolean;
}

export const toSubmissionRecord = (each: Submission, change: SubmissionChange): Static<typeof SubmissionRecord> => ({
  type: 'submission',
  reference: each.reference,
  account: each.account,
  project: each.project,
  service: each.service,
  status: each.status,
  urls: each.url_count,
  completed: each.urls_completed,
  failed: each.urls_failed,
  price_per_url_micros: each.price,
  charged_micros: each.charged,
  refunded_micros: each.refunded,
  accepted_at: toInstant(each.created_at),
  dispatched_at: toInstantOrNull(each.dispatched_at),
  started_at: toInstantOrNull(each.started_at),
  finished_at: toInstantOrNull(each.finished_at),
  entries: each.entries.map(toEntryFields),
  ...(change.failedNow === undefined ? {} : { failed_now: change.failedNow }),
  ...(change.refundedNow === undefined ? {} : { refunded_now_micros: change.refundedNow }),
  ...(change.repeated === undefined ? {} : { repeated: change.repeated }),
});

const DifferenceRecord = defineRecord('difference', 'A rule that the tables break.', {
  rule: text('the rule'),
  subject: text('the account, entry, submission or index check'),
  expected: text('required by the rule; amounts in micro-lira'),
  found: text('in the tables; amounts in micro-lira'),
});

export const toDifferenceRecord = ({
  rule,
  subject,
  expected,
  found,
}: Difference): Static<typeof DifferenceRecord> => ({
  type: 'difference',
  rule,
  subject,
  expected: String(expected),
  found: String(found),
});

const BackupRecord = defineRecord('backup', 'A copy of the database.', {
  file: text('path'),
  bytes: count('size'),
  differences: count('rules broken'),
});

export const toBackupRecord = (file: string, bytes: number, differences: number): Static<typeof BackupRecord> => ({
  type: 'backup',
  file,
  bytes,
  differences,
});

const prints = (...records: CommandOutput['records']): CommandOutput => ({ records, summary: {} });

/** What every command of `courier-service` prints with --json. `schema` prints a JSON Schema instead. */
export const SERVICE_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  serve: { records: [ListeningRecord, NoticeRecord], summary: {}, first: 'listening' },
  'account create': prints(AccountRecord),
  'account list': prints(AccountRecord),
  'account suspend': prints(AccountRecord),
  'account resume': prints(AccountRecord),
  'account close': prints(AccountRecord),
  'account events': prints(EventRecord),
  'account top-up': prints(AccountRecord),
  'account adjust': prints(AccountRecord),
  'account set-price': prints(AccountRecord),
  'account prices': prints(PriceRecord),
  'account statement': prints(EntryRecord, StatementRecord),
  'account reset-password': prints(PasswordRecord),
  'account reset-link': prints(ResetLinkRecord),
  'key create': prints(KeyRecord),
  'key list': prints(KeyRecord),
  'key revoke': prints(KeyRecord),
  'key regenerate': prints(KeyRecord),
  'submission show': prints(SubmissionRecord),
  'submission requeue': prints(SubmissionRecord),
  'submission fail': prints(SubmissionRecord),
  refund: prints(SubmissionRecord),
  events: prints(EventRecord),
  audit: prints(DifferenceRecord),
  backup: prints(BackupRecord, DifferenceRecord),
};
