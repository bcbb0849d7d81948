import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../src/api-client/client.ts';
import { type Budget, BudgetEmptyError, type Ticket } from '../src/ledger/budget.ts';
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

/** A wait this short is over before the server would run the activity again. */
const NEAR_MS = 2_000;
/**
 * A retry comes so much before its turn, and waits the rest in here: the server's timers are up to a second late, and
 * ten submissions a minute that each begin late are fewer than ten a minute.
 */
const AHEAD_MS = 1_500;

export function accountApi(
  client: ApiClient,
  budget: Budget,
  sleep: (ms: number) => Promise<void> = (ms) => pause(ms),
): AccountApi {
  /** The lane's next permission, at the moment when it is there. Throws "not yet" when that is not near. */
  async function takeInTurn(lane: Lane): Promise<Ticket> {
    for (let waited = 0; ; ) {
      const ticket = await budget.take(lane);
      if (ticket.kind === 'ticket') return ticket;
      const { waitMs, why } = ticket;
      if (waited + waitMs > NEAR_MS) throw later(waitMs - AHEAD_MS, `${why}; nothing was sent`);
      await sleep(waitMs);
      waited += waitMs;
    }
  }

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
      const ticket = await takeInTurn(lane);
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
