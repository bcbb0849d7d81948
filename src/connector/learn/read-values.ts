import { formatTry, type Micros } from '../../../contract/money.ts';
import { readAccount, readBalance } from '../../api-client/read/account.ts';
import { InvalidPayload, indexFields, isObject, type Json } from '../../api-client/read/fields.ts';
import type { AnswerFormat } from '../../api-client/read/format.ts';
import {
  readAccepted,
  readDetail,
  readSubmissions,
  type SubmissionDetail,
  type SubmissionsPage,
  type SubmissionView,
} from '../../api-client/read/submission.ts';
import type { Reference } from '../../submission/ids.ts';
import type { Values } from './find-sources.ts';

/** The requests that are shown. Those that are made are GETs, and cost nothing; what a purchase was answered is only read. */
export const REQUESTS = [
  'POST /submissions',
  'GET /me',
  'GET /balance',
  'GET /submissions',
  'GET /submissions/{reference}',
] as const;
export type RequestName = (typeof REQUESTS)[number];

/** A response with an envelope. */
export interface Received {
  readonly request: RequestName;
  readonly answer: Json;
  /** The job that was asked for. */
  readonly reference?: Reference;
}

const LIST_PAGE = { page: 1, limit: 20 };
const URL_PAGE = { page: 1, limit: 100 };

export const getData = (answer: Json): Json => indexFields(answer).get('data') ?? null;

export const readJobs = (answer: Json, format: AnswerFormat): SubmissionsPage | InvalidPayload =>
  readSubmissions(getData(answer), answer, LIST_PAGE, format);

export const readJob = (answer: Json, format: AnswerFormat, reference: Reference): SubmissionDetail | InvalidPayload =>
  readDetail(getData(answer), answer, URL_PAGE, format, reference);

/** What is read of a response, as text. A list is shown by its first entry. */
export function readValues({ request, answer, reference }: Received, format: AnswerFormat): Values {
  switch (request) {
    case 'POST /submissions': {
      const read = readAccepted(getData(answer), format);
      return {
        reference: read.reference,
        state: read.state,
        url_count: toCount(read.urls),
        charge: toAmount(read.charged),
        price: toAmount(read.pricePerUrl ?? read.price ?? null),
        balance: toAmount(read.balance),
      };
    }
    case 'GET /balance': {
      const read = readBalance(getData(answer), format);
      return { balance: read instanceof InvalidPayload ? null : formatTry(read.balance) };
    }
    case 'GET /me': {
      const read = readAccount(getData(answer), format);
      if (read instanceof InvalidPayload)
        return { account: null, balance: null, price_standard: null, price_fast: null };
      const { identity, balance, prices } = read;
      return {
        account: identity,
        balance: toAmount(balance),
        price_standard: toAmount(prices.standard),
        price_fast: toAmount(prices.fast),
      };
    }
    case 'GET /submissions': {
      const read = readJobs(answer, format);
      if (read instanceof InvalidPayload) return { jobs: null };
      const [first] = read.submissions;
      const total = read.page.total === null ? null : String(read.page.total);
      return { jobs: String(read.submissions.length), total, ...(first === undefined ? {} : listJobValues(first)) };
    }
    case 'GET /submissions/{reference}': {
      const read = readJob(answer, format, reference as Reference);
      // It names another job, so its reference is read.
      if (read instanceof InvalidPayload) return { reference: null };
      const [first] = read.urls;
      const url = { url: first?.url ?? null, url_state: first?.statusName ?? null, reason: first?.reason ?? null };
      const total = read.page.total === null ? null : String(read.page.total);
      return {
        ...listJobValues(read.submission),
        urls: read.urls.length === 0 ? null : String(read.urls.length),
        url_total: total,
        ...url,
      };
    }
  }
}

const listJobValues = (job: SubmissionView) => ({
  reference: job.reference as string,
  state: job.state,
  project: job.project,
  created: job.createdAt === null ? null : new Date(job.createdAt).toISOString(),
  service: job.service as string | null,
  url_count: toCount(job.urlCount),
  completed: toCount(job.completed),
  failed: toCount(job.failed),
  charge: toAmount(job.charged),
  price: toAmount(job.pricePerUrl),
});

const toAmount = (amount: Micros | null): string | null => (amount === null ? null : formatTry(amount));
const toCount = (count: number | null): string | null => (count === null ? null : String(count));

/** Whether a response has data at all: an error of the service has none. */
export const hasData = (answer: Json): boolean => isObject(answer) && typeof getData(answer) === 'object';
