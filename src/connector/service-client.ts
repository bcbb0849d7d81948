import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../api-client/client.ts';
import { dataOf } from '../api-client/errors.ts';
import type { Account, Config } from '../config/config.ts';
import { readSecret } from '../config/secrets.ts';
import { VERSION } from '../observability/version.ts';
import { type Budget, openBudgets, RateLimitedError } from '../rate-limit/limiter.ts';
import { budgetLimits } from '../rate-limit/limits.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import type { UnknownWord } from '../submission/words.ts';

/** An account's service for a command: every request is taken from the budget that the workers share. */
export interface Service {
  readonly budget: Budget;
  /**
   * One request that spends nothing. Waits for its turn in the budget, telling `waiting` for how long (milliseconds).
   * Throws the ApiError of an answer that is none.
   */
  ask<Data>(
    request: (client: ApiClient) => Promise<ApiAnswer<Data>>,
    waiting?: (waitMs: number) => void,
  ): Promise<Data>;
}

/** The client of an account, as its configuration describes it. `onUnknownWord`: told of each once. */
export function clientOf(account: Account, onUnknownWord?: (seen: UnknownWord) => void): ApiClient {
  return createApiClient({
    baseUrl: account.baseUrl,
    apiKey: () => readSecret(account.apiKey),
    userAgent: `sitemap-courier/${VERSION}`,
    timeouts: account.timeouts,
    authentication: account.authentication,
    words: account.words,
    ...(onUnknownWord === undefined ? {} : { onUnknownWord }),
  });
}

/** Opens an account's service for as long as `work` takes. `signal` ends a wait for the budget. */
export async function withService<T>(
  { ledgerUrl }: Config,
  account: Account,
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const budgets = await openBudgets(ledgerUrl);
  const client = clientOf(account);
  const budget = budgets.budgetOf(account.id, budgetLimits(account.limits, account.limits.minuteMs));
  try {
    return await work({
      budget,
      async ask(request, waiting = () => undefined) {
        for (;;) {
          try {
            return dataOf(await budget.spend('poll', () => request(client)));
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
