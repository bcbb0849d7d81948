import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../api-client/client.ts';
import { unwrapData } from '../api-client/errors.ts';
import type { Account, Config } from '../config/config.ts';
import { readSecret } from '../config/secrets.ts';
import { VERSION } from '../observability/version.ts';
import { openRateLimits, RateLimitedError, type RateLimiter } from '../rate-limit/limiter.ts';
import { toRateLimits } from '../rate-limit/limits.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import type { UnknownStatus } from '../submission/status-map.ts';

/** An account's service for a command: every request is taken from the budget that the workers share. */
export interface Service {
  readonly budget: RateLimiter;
  /**
   * One request that spends nothing. Waits for its turn in the budget, telling `waiting` for how long (milliseconds).
   * Throws the ApiError of an answer that is none.
   */
  ask<Data>(
    request: (client: ApiClient) => Promise<ApiAnswer<Data>>,
    waiting?: (waitMs: number) => void,
  ): Promise<Data>;
}

/** The client of an account, as its configuration describes it. `onUnknownStatus`: called once for each. */
export function createAccountClient(account: Account, onUnknownStatus?: (status: UnknownStatus) => void): ApiClient {
  return createApiClient({
    baseUrl: account.baseUrl,
    apiKey: () => readSecret(account.apiKey),
    userAgent: `sitemap-courier/${VERSION}`,
    timeouts: account.timeouts,
    authentication: account.authentication,
    statusMap: account.statusMap,
    ...(onUnknownStatus === undefined ? {} : { onUnknownStatus: onUnknownStatus }),
  });
}

/** Opens an account's service for as long as `work` takes. `signal` ends a wait for the budget. */
export async function withService<T>(
  { ledgerUrl }: Pick<Config, 'ledgerUrl'>,
  account: Account,
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const budgets = await openRateLimits(ledgerUrl);
  const client = createAccountClient(account);
  const budget = budgets.getLimiter(account.id, toRateLimits(account.limits, account.limits.minuteMs));
  try {
    return await work({
      budget,
      async ask(request, waiting = () => undefined) {
        for (;;) {
          try {
            return unwrapData(await budget.request('poll', () => request(client)));
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
    await budgets.close();
  }
}
