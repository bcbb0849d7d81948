import type { ApiAnswer, Endpoint } from '../../submission/answer.ts';
import { backoffMs } from '../../submission/backoff.ts';
import { type ApiError, isSuccess, ServiceBusyError, toApiError } from '../errors.ts';

export interface Clock {
  /** Milliseconds that no one sets. */
  readonly now: () => number;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** A number in [0, 1). */
  readonly random: () => number;
}

export interface Decided<Data> {
  readonly status: number;
  readonly data: Data;
}

export interface Limits {
  readonly endpoint: Endpoint;
  readonly maxWaitMs: number;
  readonly signal: AbortSignal | undefined;
  /** Counts the next request and returns 0, or returns how long it must wait for the limits of the key, in milliseconds. */
  readonly takeTurn: () => number;
}

/**
 * Sends a request until its answer decides: the answer table says which answers are sent again, the service or a backoff
 * when. `send` must send the same bytes with the same key each time. Throws the ApiError of the last answer when it is final,
 * or when the next attempt would be later than `maxWaitMs` after the call, whatever it waits for: a ServiceBusyError when not
 * even the first one can be sent by then. After an attempt whose outcome is unknown, no
 * error says that nothing was charged.
 */
export async function repeatRequest<Data>(
  send: () => Promise<ApiAnswer<Data>>,
  { now, sleep, random }: Clock,
  { endpoint, maxWaitMs, signal, takeTurn }: Limits,
): Promise<Decided<Data>> {
  const end = now() + maxWaitMs;
  let inDoubt = false;
  let last: ApiError | undefined;
  for (let attempt = 1; ; attempt++) {
    for (let wait = takeTurn(); wait > 0; wait = takeTurn()) {
      if (now() + wait > end) throw last ?? toBusyError(endpoint, wait);
      await sleep(wait, signal);
    }
    const answer = await send();
    if (isSuccess(answer)) return { status: answer.status, data: answer.body.data };
    const error = toApiError(answer, inDoubt);
    last = error;
    inDoubt ||= error.chargeState === 'unknown';
    const wait = backoffMs(attempt, random(), error.retryAfterMs);
    if (error.policy === 'none' || now() + wait > end) throw error;
    await sleep(wait, signal);
  }
}

const toBusyError = (endpoint: Endpoint, wait: number): ServiceBusyError =>
  new ServiceBusyError(
    `the limits of the key leave room in ${Math.ceil(wait / 1_000)} seconds, which is later than maxWaitMs allows. ` +
      'Nothing was sent and nothing was charged; make the same call again then',
    { endpoint, status: null, code: null, requestId: null, chargeState: 'none', retryAfterMs: Math.ceil(wait) },
  );
