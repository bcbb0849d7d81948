import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type ApiClient, type ApiClientOptions, createApiClient } from '../api-client/client.ts';
import { unwrapData } from '../api-client/errors.ts';
import type { Account, Config } from '../config/config.ts';
import { readApiKey } from '../config/secrets.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { VERSION } from '../observability/version.ts';
import { openRateLimitsBeside, RateLimitedError, type RateLimiter } from '../rate-limit/limiter.ts';
import { toRateLimits } from '../rate-limit/limits.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import type { UnknownStatus } from '../submission/status-map.ts';

/** An account's API client for a command: every request takes a permit of the rate limiter that the workers share. */
export interface Service {
  readonly limiter: RateLimiter;
  /**
   * Makes one free request. Waits for the rate limiter's permit and reports the wait to `waiting` (milliseconds). Throws the
   * ApiError of a failed request.
   */
  request<Data>(
    request: (client: ApiClient) => Promise<ApiAnswer<Data>>,
    waiting?: (waitMs: number) => void,
  ): Promise<Data>;
}

/**
 * The client of an account, as configured. `onUnknownStatus` is called once for each unmapped status; `dispatcher`
 * replaces the connections, `onResponse` sees each response as it came.
 */
export function createAccountClient(
  account: Account,
  onUnknownStatus?: (status: UnknownStatus) => void,
  dispatcher?: Dispatcher,
  onResponse?: ApiClientOptions['onResponse'],
): ApiClient {
  return createApiClient({
    baseUrl: account.baseUrl,
    apiKey: () => readApiKey(account.apiKey),
    userAgent: `sitemap-courier/${VERSION}`,
    timeouts: account.timeouts,
    authentication: account.authentication,
    statusMap: account.statusMap,
    fieldNames: account.fieldNames,
    amounts: account.amounts,
    ...(onUnknownStatus === undefined ? {} : { onUnknownStatus: onUnknownStatus }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(onResponse === undefined ? {} : { onResponse }),
  });
}

/** Opens an account's API client while `work` runs. `signal` ends a wait for the rate limit; `onResponse` sees each response. */
export async function withService<T>(
  { config, ledger }: { readonly config: Pick<Config, 'ledgerUrl'>; readonly ledger: Pick<Ledger, 'db'> },
  account: Account,
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
  onResponse?: ApiClientOptions['onResponse'],
): Promise<T> {
  const rateLimits = await openRateLimitsBeside(ledger, config.ledgerUrl);
  const client = createAccountClient(account, undefined, undefined, onResponse);
  const limiter = rateLimits.getLimiter(account.id, toRateLimits(account.limits, account.limits.minuteMs));
  try {
    return await work({
      limiter,
      async request(request, waiting = () => undefined) {
        for (;;) {
          try {
            return unwrapData(await limiter.request('poll', () => request(client)));
          } catch (error) {
            if (!(error instanceof RateLimitedError)) throw error;
            waiting(error.waitMs);
            await sleep(error.waitMs, undefined, { signal });
          }
        }
      },
    });
  } finally {
    await client.close();
    await rateLimits.close();
  }
}
