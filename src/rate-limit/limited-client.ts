import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../api-client/client.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import { type Permit, RateLimitedError, type RateLimiter } from './limiter.ts';
import type { Lane } from './limits.ts';

type SendReserved = <Data>(request: (client: ApiClient) => Promise<ApiAnswer<Data>>) => Promise<ApiAnswer<Data>>;

/** An account's API client: the rate limiter grants each request first. */
export interface LimitedClient {
  /** One request. Throws a RateLimitedError when none is allowed now; then nothing was sent. */
  request<Data>(lane: Lane, request: (client: ApiClient) => Promise<ApiAnswer<Data>>): Promise<ApiAnswer<Data>>;
  /** Reserves one request before `work` records anything; `work` sends it with the given function, or does not. */
  reserved<T>(lane: Lane, work: (send: SendReserved) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Wait in process when the slot is this near: it is free before the server would retry the activity. */
const NEAR_MS = 2_000;
/**
 * Retry this long before the slot is free and wait the rest in process: the server's timers are up to a second late, and
 * ten submissions a minute that each start late are fewer than ten a minute.
 */
const AHEAD_MS = 1_500;

/**
 * Requests of an account that wait for a response at a time, in this process: each is in an activity slot. An account that
 * is answered within six seconds never has more, at 120 requests a minute; one that is not must leave slots to others.
 */
const MOST_IN_FLIGHT = 12;
/** Until the next attempt after that. */
const FULL_WAIT_MS = 5_000;

export function createLimitedClient(
  client: ApiClient,
  limiter: RateLimiter,
  sleep: (ms: number) => Promise<void> = (ms) => pause(ms),
): LimitedClient {
  let inFlight = 0;
  /** A submission is never denied: the account's dispatcher sends one after another. */
  async function bounded<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (lane !== 'submission' && inFlight >= MOST_IN_FLIGHT) {
      const why = `${MOST_IN_FLIGHT} requests of the account wait for the service`;
      throw new RateLimitedError(lane, { kind: 'wait', waitMs: FULL_WAIT_MS, why });
    }
    inFlight += 1;
    try {
      return await work();
    } finally {
      inFlight -= 1;
    }
  }

  /** The lane's next permit, in the moment when it is free. Throws a RateLimitedError when that is not near. */
  async function acquireInTurn(lane: Lane): Promise<Permit> {
    for (let waited = 0; ; ) {
      const permit = await limiter.acquire(lane);
      if (permit.kind === 'permit') return permit;
      const { waitMs } = permit;
      if (waited + waitMs > NEAR_MS) throw new RateLimitedError(lane, { ...permit, waitMs: waitMs - AHEAD_MS });
      await sleep(waitMs);
      waited += waitMs;
    }
  }

  return {
    request: (lane, request) => bounded(lane, () => limiter.request(lane, () => request(client))),
    reserved: (lane, work) => bounded(lane, () => reserve(lane, work)),
    close: () => client.close(),
  };

  async function reserve<T>(lane: Lane, work: (send: SendReserved) => Promise<T>): Promise<T> {
    const permit = await acquireInTurn(lane);
    let sent = false;
    let received: ApiAnswer | undefined;
    try {
      client.requireKey();
      return await work(async (request) => {
        sent = true;
        const answer = await request(client);
        received = answer;
        return answer;
      });
    } finally {
      await (sent ? limiter.commit(permit, received) : limiter.cancel(permit));
    }
  }
}
