import type { ApiClient } from '../src/api-client/client.ts';
import { type Budget, BudgetEmptyError } from '../src/ledger/budget.ts';
import type { Lane } from '../src/ledger/budget-limits.ts';
import type { ApiAnswer } from '../src/submission/answer.ts';
import { later } from './later.ts';

type Ask = <Data>(request: (client: ApiClient) => Promise<ApiAnswer<Data>>) => Promise<ApiAnswer<Data>>;

/** An account's service: each request is taken from the key's budget first. */
export interface AccountApi {
  /** One request. Throws "not yet" when the budget allows none now; nothing was sent then. */
  ask<Data>(lane: Lane, request: (client: ApiClient) => Promise<ApiAnswer<Data>>): Promise<ApiAnswer<Data>>;
  /** Reserves one request before `work` writes anything down; `work` makes it with the function it is given, or not. */
  reserved<T>(lane: Lane, work: (ask: Ask) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function accountApi(client: ApiClient, budget: Budget): AccountApi {
  return {
    async ask(lane, request) {
      try {
        return await budget.spend(lane, () => request(client));
      } catch (error) {
        if (error instanceof BudgetEmptyError) throw later(error.waitMs, error.message);
        throw error;
      }
    },
    async reserved(lane, work) {
      const ticket = await budget.take(lane);
      if (ticket.kind === 'wait') throw later(ticket.waitMs, `${ticket.why}; nothing was sent`);
      let asked = false;
      let seen: ApiAnswer | undefined;
      try {
        return await work(async (request) => {
          asked = true;
          const answer = await request(client);
          seen = answer;
          return answer;
        });
      } finally {
        await (asked ? budget.settle(ticket, seen) : budget.release(ticket));
      }
    },
    close: () => client.close(),
  };
}
