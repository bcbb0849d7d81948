import { type TProperties, Type } from 'typebox';
import { CURRENCY } from './money.ts';
import { SERVICE_LEVELS, type ServiceLevel, SUBMISSION_STATES, type SubmissionState } from './states.ts';

/** A payload: every field is always there, null where it has no value. */
const Payload = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false });

const Money = (description: string) => Type.Number({ description: `${description}, in TRY.` });
const MoneyMicros = (description: string) =>
  Type.Integer({ description: `${description}, exactly: in millionths of a lira.` });
const Currency = Type.Unsafe<'TRY'>({ type: 'string', const: CURRENCY });
const Time = Type.String({ format: 'date-time', description: 'UTC.' });
const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
const TextOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const IntegerOrNull = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description });
const Count = Type.Integer({ minimum: 0 });
const State = Type.Unsafe<SubmissionState>({ type: 'string', enum: SUBMISSION_STATES });
const Service = Type.Unsafe<ServiceLevel>({ type: 'string', enum: SERVICE_LEVELS });

const Pagination = Payload({ page: Count, limit: Count, total: Count, total_pages: Count });

/** GET / (spec 4.1). */
export const ServiceInfo = Payload({
  name: Type.String(),
  version: Type.String({ description: 'Version of the interface, as in the path.' }),
  contract_version: Type.String(),
  available: Type.Boolean({ description: 'Whether submissions can be accepted now.' }),
  openapi: Type.String({ description: 'Where the contract is, relative to the server.' }),
});
export type ServiceInfo = Type.Static<typeof ServiceInfo>;

const wallet = {
  balance: Money('Current balance'),
  balance_micros: MoneyMicros('Current balance'),
  currency: Currency,
};

/** GET /balance (spec 4.3). */
export const Balance = Payload(wallet);
export type Balance = Type.Static<typeof Balance>;

/** GET /me (spec 4.2). */
export const Me = Payload({
  account: Payload({ id: Type.String(), name: Type.String(), created_at: Time }),
  wallet: Balance,
  prices: Payload({
    standard: Money('Per URL, service standard'),
    fast: Money('Per URL, service fast'),
    index_check: Money('Per URL of an index-check'),
    currency: Currency,
  }),
  api_key: Payload({
    id: Type.String(),
    name: Type.String(),
    prefix: Type.String({ description: 'How the key begins, to tell keys apart.' }),
    created_at: Time,
    expires_at: TextOrNull('When the key ends by itself; null: valid until it is revoked or regenerated.'),
  }),
  default_service: Service,
});
export type Me = Type.Static<typeof Me>;

/** GET /stats (spec 4.4). */
export const Stats = Payload({
  ...wallet,
  submissions: Payload({
    total: Count,
    queued: Count,
    processing: Count,
    completed: Count,
    partial: Count,
    failed: Count,
  }),
  urls: Payload({ total: Count, pending: Count, completed: Count, failed: Count }),
  spending: Payload({
    submissions: Money('Charged for submissions, refunds deducted'),
    index_checks: Money('Charged for index-checks, restored charges deducted'),
    total: Money('Both together'),
    currency: Currency,
  }),
  index_checks: Payload({ total: Count, urls: Count, found: Count }),
});
export type Stats = Type.Static<typeof Stats>;

const submission = {
  reference: Type.String(),
  status: State,
  project: Type.String(),
  service: Service,
  url_count: Count,
  urls_pending: Count,
  urls_completed: Count,
  urls_failed: Count,
  price_per_url: Money('Price at acceptance'),
  charged: Money('Charged at acceptance'),
  refunded: Money('Given back'),
  currency: Currency,
  created_at: Time,
  started_at: TimeOrNull,
  finished_at: TimeOrNull,
};

/** The record of a submission (spec 2.1), in the list and as the answer to POST /submissions. */
export const Submission = Payload(submission);
export type Submission = Type.Static<typeof Submission>;

/** GET /submissions (spec 4.5). */
export const SubmissionList = Payload({ submissions: Type.Array(Submission), pagination: Pagination });
export type SubmissionList = Type.Static<typeof SubmissionList>;

/** What one URL of a submission can be: queued and processing as its submission, then one of the other two. */
export const URL_STATES = ['queued', 'processing', 'completed', 'failed'] as const;
export type UrlState = (typeof URL_STATES)[number];

/** GET /submissions/{reference} (spec 4.7): the record and one page of its URLs. */
export const SubmissionDetail = Payload({
  ...submission,
  urls: Type.Array(
    Payload({
      position: Type.Integer({ minimum: 0, description: 'Place in the submission, from 0.' }),
      url: Type.String({ description: 'As sent.' }),
      status: Type.Unsafe<UrlState>({ type: 'string', enum: URL_STATES }),
      reason: TextOrNull('Why it failed.'),
      updated_at: Time,
    }),
  ),
  url_pagination: Pagination,
});
export type SubmissionDetail = Type.Static<typeof SubmissionDetail>;

/** What an index-check says of one URL. Unknown: it got no answer, and is not charged. */
export const CHECK_STATUSES = ['found', 'not_found', 'unknown'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** POST /index-check (spec 4.8). A found result holds for the moment it was checked. */
export const IndexCheckResult = Payload({
  id: Type.String(),
  checked_at: Time,
  url_count: Count,
  found_count: Count,
  unknown_count: Count,
  price_per_url: Money('Price of one URL'),
  charged: Money('Charged for this check: unknown URLs are not charged'),
  currency: Currency,
  results: Type.Array(
    Payload({
      url: Type.String({ description: 'As sent.' }),
      status: Type.Unsafe<CheckStatus>({ type: 'string', enum: CHECK_STATUSES }),
      found: Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'],
        description: 'Whether it was in the result data at that moment; null when unknown.',
      }),
      position: IntegerOrNull('Place in the result data, from 1; null when not found or not known.'),
      reason: TextOrNull('Why it is unknown.'),
    }),
  ),
});
export type IndexCheckResult = Type.Static<typeof IndexCheckResult>;
