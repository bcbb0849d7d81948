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
  toInstant,
  toInstantOrNull,
} from '../../src/cli-kit/record-schema.ts';
import { getSchemas, type RecordTable, readFields, tableFor } from '../../src/cli-kit/record-table.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditEvent } from '../accounts/audit-events.ts';
import type { Entry } from '../accounts/entries.ts';
import type { ApiKey, CreatedKey } from '../accounts/keys.ts';
import type { Price } from '../accounts/prices.ts';
import type { Statement } from '../accounts/statement.ts';
import type { Difference } from '../operations/audit.ts';
import type { Backup } from '../operations/backup.ts';
import type { SubmissionRecord as Submission } from '../operations/submissions.ts';

export const listeningRecord = tableFor<string>()(
  'listening',
  'The service answers requests. Comes before the version record.',
  {
    base_url: [text('address of the API'), (baseUrl) => baseUrl],
  },
);

export const noticeRecord = tableFor<string>()('notice', 'A warning about the settings.', {
  notice: [text('what it is, and what to do'), (notice) => notice],
});

export interface AccountChange {
  readonly password?: string;
  readonly repeated?: boolean;
}

export const accountRecord = tableFor<Account & AccountChange>()('account', 'An account.', {
  id: [text('id of the account'), (it) => it.publicId],
  name: [text('name of the account'), (it) => it.name],
  status: [text('active, suspended or closed'), (it) => it.status],
  status_reason: [nullable(text('why')), (it) => it.statusReason],
  balance_micros: [micros('balance'), (it) => it.balance],
  price_standard_micros: [micros('price per URL, standard'), (it) => it.prices.standard],
  price_fast_micros: [micros('price per URL, fast'), (it) => it.prices.fast],
  password: [optional(text('for the dashboard; only from `account create`, shown once')), (it) => it.password],
  repeated: [optional(flag('the reference was used before, nothing was changed')), (it) => it.repeated],
});

interface NewPassword {
  readonly name: string;
  readonly password: string;
}

export const passwordRecord = tableFor<NewPassword>()(
  'password',
  'A new password for the dashboard, shown this once.',
  {
    name: [text('name of the account'), (it) => it.name],
    password: [text('the password'), (it) => it.password],
  },
);

interface ResetLink {
  readonly name: string;
  readonly link: string;
}

export const resetLinkRecord = tableFor<ResetLink>()(
  'reset_link',
  'A link with which the customer sets a new password.',
  {
    name: [text('name of the account'), (it) => it.name],
    link: [text('the link'), (it) => it.link],
  },
);

export const eventRecord = tableFor<AuditEvent>()('event', 'A change, and who made it.', {
  id: [count('later events have higher numbers'), (it) => it.id],
  account: [text('name of the account'), (it) => it.account],
  event: [text('what happened'), (it) => it.event],
  actor: [text('who did it'), (it) => it.actor],
  address: [nullable(text('network address; of an operator also user and machine')), (it) => it.address],
  details: [Type.Unsafe<AuditEvent['details']>({ description: 'by kind of event' }), (it) => it.details],
  created_at: [instant('when'), (it) => toInstant(it.created_at)],
});

const SERVICE_LEVELS = ['standard', 'fast'] as const;

export const priceRecord = tableFor<Price>()('price', 'A price that an account had.', {
  service: [oneOf(SERVICE_LEVELS, 'service level'), (it) => it.service],
  price_micros: [micros('price per URL'), (it) => it.price],
  reason: [nullable(text('why')), (it) => it.reason],
  from: [instant('beginning'), (it) => toInstant(it.created_at)],
});

const ENTRY_FIELDS = {
  kind: [text('charge, restore, top_up, refund or adjustment'), (it: Entry) => it.kind],
  amount_micros: [micros('negative when money leaves the account'), (it: Entry) => it.amount],
  reference: [nullable(text("the operator's invoice, transfer or case")), (it: Entry) => it.reference],
  reason: [nullable(text('why')), (it: Entry) => it.reason],
  created_at: [instant('when'), (it: Entry) => toInstant(it.created_at)],
} as const;

export const entryRecord = tableFor<Entry>()('entry', 'An entry of a statement.', {
  ...ENTRY_FIELDS,
  subject: [text('what it was for'), (it) => it.subject],
  balance_after_micros: [micros('balance after it'), (it) => it.balance_after],
});

export const statementRecord = tableFor<Statement & { readonly name: string }>()(
  'statement',
  'The sums of a statement, after its entries.',
  {
    name: [text('name of the account'), (it) => it.name],
    from: [instant('beginning'), (it) => toInstant(it.from)],
    to: [instant('end, not included'), (it) => toInstant(it.to)],
    opening_balance_micros: [micros('balance at its beginning'), (it) => it.opening],
    closing_balance_micros: [micros('balance at its end'), (it) => it.closing],
    totals_micros: [
      Type.Record(Type.String(), Type.Integer(), { description: 'sum by kind' }),
      (it) => ({ ...it.totals }),
    ],
    entries: [count('number of entries'), (it) => it.entries.length],
  },
);

export const keyRecord = tableFor<ApiKey & Partial<CreatedKey>>()('key', 'An API key.', {
  id: [text('id of the key'), (it) => it.id],
  name: [text('what it is for'), (it) => it.name],
  prefix: [text('its first characters'), (it) => it.prefix],
  api_key: [optional(text('the key, shown only when it is made')), (it) => it.apiKey],
  created_at: [instant('when'), (it) => toInstant(it.createdAt)],
  expires_at: [nullable(instant('end')), (it) => toInstantOrNull(it.expiresAt)],
  replaced_by: [nullable(text('id of its successor')), (it) => it.replacedBy],
  revoked_at: [nullable(instant('when revoked')), (it) => toInstantOrNull(it.revokedAt)],
});

export interface SubmissionChange {
  readonly failedNow?: number;
  readonly refundedNow?: number;
  readonly repeated?: boolean;
}

export const submissionRecord = tableFor<Submission & SubmissionChange>()(
  'submission',
  'A submission of any account.',
  {
    reference: [text('reference of the job'), (it) => it.reference],
    account: [text('name of the account'), (it) => it.account],
    project: [nullable(text('project of the job')), (it) => it.project],
    service: [oneOf(SERVICE_LEVELS, 'service level'), (it) => it.service],
    status: [text('queued, processing, completed, partial or failed'), (it) => it.status],
    urls: [count('URLs in it'), (it) => it.url_count],
    completed: [count('URLs completed'), (it) => it.urls_completed],
    failed: [count('URLs failed'), (it) => it.urls_failed],
    price_per_url_micros: [micros('price per URL'), (it) => it.price],
    charged_micros: [micros('charge'), (it) => it.charged],
    refunded_micros: [micros('refunds'), (it) => it.refunded],
    accepted_at: [instant('when accepted'), (it) => toInstant(it.created_at)],
    dispatched_at: [nullable(instant('when handed to processing')), (it) => toInstantOrNull(it.dispatched_at)],
    started_at: [nullable(instant('when processing began')), (it) => toInstantOrNull(it.started_at)],
    finished_at: [nullable(instant('when it ended')), (it) => toInstantOrNull(it.finished_at)],
    entries: [
      list(Type.Object(getSchemas(ENTRY_FIELDS)), 'oldest first'),
      (it) => it.entries.map((entry) => readFields(ENTRY_FIELDS, entry)),
    ],
    failed_now: [optional(count('failed by this command; only from `submission fail`')), (it) => it.failedNow],
    refunded_now_micros: [optional(micros('refunded by this command')), (it) => it.refundedNow],
    repeated: [optional(flag('the reference was used before, nothing was changed')), (it) => it.repeated],
  },
);

export const differenceRecord = tableFor<Difference>()('difference', 'A rule that the tables break.', {
  rule: [text('the rule'), (it) => it.rule],
  subject: [text('the account, entry, submission or index check'), (it) => it.subject],
  expected: [text('required by the rule; amounts in micro-lira'), (it) => String(it.expected)],
  found: [text('in the tables; amounts in micro-lira'), (it) => String(it.found)],
});

export const backupRecord = tableFor<Backup>()('backup', 'A copy of the database.', {
  file: [text('path'), (it) => it.file],
  bytes: [count('size'), (it) => it.bytes],
  differences: [count('rules broken'), (it) => it.differences.length],
});

const prints = (...tables: readonly Pick<RecordTable<never>, 'schema'>[]): CommandOutput => ({
  records: tables.map(({ schema }) => schema),
  summary: {},
});

/** What every command of `courier-service` prints with --json. `schema` prints a JSON Schema instead. */
export const SERVICE_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  serve: { ...prints(listeningRecord, noticeRecord), first: 'listening' },
  'account create': prints(accountRecord),
  'account list': prints(accountRecord),
  'account suspend': prints(accountRecord),
  'account resume': prints(accountRecord),
  'account close': prints(accountRecord),
  'account events': prints(eventRecord),
  'account top-up': prints(accountRecord),
  'account adjust': prints(accountRecord),
  'account set-price': prints(accountRecord),
  'account prices': prints(priceRecord),
  'account statement': prints(entryRecord, statementRecord),
  'account reset-password': prints(passwordRecord),
  'account reset-link': prints(resetLinkRecord),
  'key create': prints(keyRecord),
  'key list': prints(keyRecord),
  'key revoke': prints(keyRecord),
  'key regenerate': prints(keyRecord),
  'submission show': prints(submissionRecord),
  'submission requeue': prints(submissionRecord),
  'submission fail': prints(submissionRecord),
  refund: prints(submissionRecord),
  events: prints(eventRecord),
  audit: prints(differenceRecord),
  backup: prints(backupRecord, differenceRecord),
};
