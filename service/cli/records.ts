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
  status_reason: nullable(text('why it is not active; null when it is')),
  balance_micros: micros('balance in micro-lira'),
  price_standard_micros: micros('price per URL of service standard in micro-lira'),
  price_fast_micros: micros('price per URL of service fast in micro-lira'),
  password: optional(text('password for the dashboard; only from `account create`, the only time that it is shown')),
  repeated: optional(flag('the reference was used before, so nothing was changed; only from `top-up` and `adjust`')),
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
  id: count('number of the event; later ones have higher numbers'),
  account: text('name of the account'),
  event: text('what happened'),
  actor: text('who did it'),
  address: nullable(
    text('network address of a customer; user, machine and address of an operator; null when it is not known'),
  ),
  details: Type.Unsafe<AuditEvent['details']>({ description: 'what the event is about, by its kind' }),
  created_at: instant('when it happened'),
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
  price_micros: micros('price per URL in micro-lira'),
  reason: nullable(text('why it was set; null when none was given')),
  from: instant('from when on'),
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
  amount_micros: micros('in micro-lira; negative when money leaves the account'),
  reference: nullable(text("the operator's invoice, transfer or case; null without one")),
  reason: nullable(text('why; null when none was given')),
  created_at: instant('when it was made'),
};
const EntryRecord = defineRecord('entry', 'An entry of a statement.', {
  ...ENTRY_FIELDS,
  subject: text('what it was for'),
  balance_after_micros: micros('balance after it in micro-lira'),
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
  from: instant('its beginning'),
  to: instant('its end, not included'),
  opening_balance_micros: micros('balance at its beginning in micro-lira'),
  closing_balance_micros: micros('balance at its end in micro-lira'),
  totals_micros: Type.Record(Type.String(), Type.Integer(), {
    description: 'sum of the entries of each kind, in micro-lira',
  }),
  entries: count('entries in it'),
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
  api_key: optional(text('the key; only when it is made, the only time that it is shown')),
  created_at: instant('when it was made'),
  expires_at: nullable(instant('until when it works; null without an end')),
  replaced_by: nullable(text('id of the key that takes its place; null without one')),
  revoked_at: nullable(instant('when it was revoked; null when it was not')),
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
  reference: text('its reference'),
  account: text('name of the account'),
  project: nullable(text('its project; null without one')),
  service: oneOf(SERVICE_LEVELS, 'service level'),
  status: text('queued, processing, completed, partial or failed'),
  urls: count('URLs in it'),
  completed: count('URLs that were completed'),
  failed: count('URLs that failed'),
  price_per_url_micros: micros('price per URL in micro-lira'),
  charged_micros: micros('charge in micro-lira'),
  refunded_micros: micros('refunds in micro-lira'),
  accepted_at: instant('when it was accepted'),
  dispatched_at: nullable(instant('when it was handed to processing; null until then')),
  started_at: nullable(instant('when processing began; null until then')),
  finished_at: nullable(instant('when it ended; null until then')),
  entries: list(Type.Object(ENTRY_FIELDS), 'its entries, oldest first'),
  failed_now: optional(count('URLs that this command failed; only from `submission fail`')),
  refunded_now_micros: optional(micros('what this command refunded; only from `submission fail` and `refund`')),
  repeated: optional(flag('the reference was used before, so nothing was changed; only from `refund`')),
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
  expected: text('what the rule asks for; an amount is in micro-lira'),
  found: text('what the tables hold'),
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
  file: text('where it is'),
  bytes: count('its size'),
  differences: count('rules that it breaks'),
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
