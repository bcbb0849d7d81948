import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../api-client/client.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import { type Permit, RateLimitedError, type RateLimiter } from './limiter.ts';
import type { Lane } from './limits.ts';

type Ask = <Data>(request: (client: ApiClient) => Promise<ApiAnswer<Data>>) => Promise<ApiAnswer<Data>>;

/** An account's service: each request is taken from the key's budget first. */
export interface LimitedClient {
  /** One request. Throws a RateLimitedError when none is allowed now; nothing was sent then. */
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

export function createLimitedClient(
  client: ApiClient,
  budget: RateLimiter,
  sleep: (ms: number) => Promise<void> = (ms) => pause(ms),
): LimitedClient {
  /** The lane's next permission, at the moment when it is there. Throws a RateLimitedError when that is not near. */
  async function acquireInTurn(lane: Lane): Promise<Permit> {
    for (let waited = 0; ; ) {
      const ticket = await budget.acquire(lane);
      if (ticket.kind === 'ticket') return ticket;
      const { waitMs } = ticket;
      if (waited + waitMs > NEAR_MS) throw new RateLimitedError(lane, { ...ticket, waitMs: waitMs - AHEAD_MS });
      await sleep(waitMs);
      waited += waitMs;
    }
  }

  return {
    ask: (lane, request) => budget.request(lane, () => request(client)),
    async reserved(lane, work) {
      const ticket = await acquireInTurn(lane);
      let asked = false;
      let seen: ApiAnswer | undefined;
      try {
        client.requireKey();
        return await work(async (request) => {
          asked = true;
          const answer = await request(client);
          seen = answer;
          return answer;
        });
      } finally {
        await (asked ? budget.commit(ticket, seen) : budget.cancel(ticket));
      }
    },
    close: () => client.close(),
  };
}
