import type { ApiAnswer } from '../../submission/answer.ts';
import { backoffMs } from '../../submission/backoff.ts';
import { isSuccess, toApiError } from '../errors.ts';

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

/**
 * Sends a request until its answer decides: the answer table says which answers are sent again, the service or a backoff
 * when. `send` must send the same bytes with the same key each time. Throws the ApiError of the last answer when it is final,
 * or when the next attempt would be later than `maxWaitMs` after the first. After an attempt whose outcome is unknown, no
 * error says that nothing was charged.
 */
export async function repeatRequest<Data>(
  send: () => Promise<ApiAnswer<Data>>,
  { now, sleep, random }: Clock,
  { maxWaitMs, signal }: { readonly maxWaitMs: number; readonly signal: AbortSignal | undefined },
): Promise<Decided<Data>> {
  const end = now() + maxWaitMs;
  let inDoubt = false;
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (isSuccess(answer)) return { status: answer.status, data: answer.body.data };
    const error = toApiError(answer, inDoubt);
    inDoubt ||= error.chargeState === 'unknown';
    const wait = backoffMs(attempt, random(), error.retryAfterMs);
    if (error.policy === 'none' || now() + wait > end) throw error;
    await sleep(wait, signal);
  }
}
