import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api-client/errors.ts';
import type { SendRequest } from '../api-client/history.ts';
import { backoffMs } from '../submission/backoff.ts';

const LONGEST_WAIT_MS = 60_000;

export interface RetryPolicy {
  /** Attempts in all. */
  readonly tries: number;
  readonly signal: AbortSignal;
  /** A request failed and is retried. */
  readonly onWait: (waitMs: number, why: string) => void;
}

/** Retries a request that failed because of a busy service, a gateway or a broken connection. */
export function retryFailed(send: SendRequest, { tries: most, signal, onWait }: RetryPolicy): SendRequest {
  return async (request) => {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return await send(request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.policy !== 'retry' || tries === most) throw error;
        const waitMs = Math.max(error.retryAfterMs ?? 0, Math.min(backoffMs(tries, 0.5), LONGEST_WAIT_MS));
        onWait(waitMs, error.message);
        await sleep(waitMs, undefined, { signal });
      }
    }
  };
}
