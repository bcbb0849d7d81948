/** What `sitemap-courier/client` exports. */

export { formatTry, type Micros } from '../../../contract/money.ts';
export type { CreateSubmission, IndexCheck, ListQuery } from '../../../contract/requests.ts';
export type { CheckData, CheckResult } from '../../submission/answer.ts';
export {
  ApiError,
  AuthenticationError,
  NotFoundError,
  RequestRefusedError,
  ServiceBusyError,
  ServiceUnavailableError,
} from '../errors.ts';
export type { AccountView, StatsView } from '../read/account.ts';
export type { Json, JsonObject } from '../read/fields.ts';
export type { ServiceView } from '../read/service.ts';
export type { SubmissionDetail, SubmissionsPage, SubmissionView, UrlView } from '../read/submission.ts';
export {
  type Accepted,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type PaidCallOptions,
} from './client.ts';
