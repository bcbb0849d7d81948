import { ApplicationFailure } from '@temporalio/common';
import { ApiError } from '../src/api-client/errors.ts';
import { toFailureData } from '../src/api-client/failure.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';

/**
 * Retries a failed poll at the next scheduled poll, whatever the error: the job is paid for, so a rejected key or a 404
 * is retried until the tracking deadline and then reported. Polls that the rate limiter denied also wait for their next
 * slot: a thousand trackers racing for one free request would starve the worker.
 */
export async function untilNextPoll<T>(waitMs: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RateLimitedError) throw retryLater(Math.max(waitMs, error.waitMs), error.message);
    if (!(error instanceof ApiError) || (error.policy === 'retry' && error.retryAfterMs !== null)) throw error;
    const { type, message, details } = toFailureData(error);
    throw ApplicationFailure.create({ type, message, details: [details], nextRetryDelay: waitMs });
  }
}
