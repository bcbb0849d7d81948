import type { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptors } from '@temporalio/worker';
import { ApiError } from '../src/api-client/errors.ts';
import { toFailureData } from '../src/api-client/failure.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';

const HEARTBEAT_MS = 3_000;

/** Activities that send their own heartbeats, with their progress. */
const SENDS_HEARTBEATS: ReadonlySet<string> = new Set(['crawlWatch']);

/**
 * Wraps every activity: sends heartbeats, so that a killed worker's activities resume elsewhere within seconds, and
 * translates the modules' errors into what the server needs to know about retries.
 */
export function activityInterceptor(context: Context): ActivityInterceptors {
  const inbound: ActivityInboundCallsInterceptor = {
    async execute(input, next) {
      const sendsHeartbeats = SENDS_HEARTBEATS.has(context.info.activityType);
      const ticker = sendsHeartbeats ? undefined : setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await next(input);
      } catch (error) {
        throw toActivityFailure(error);
      } finally {
        clearInterval(ticker);
      }
    },
  };
  return { inbound };
}

/**
 * Converts an error for the server that retries. A ledger error recurs on every retry, so it fails the workflow with its
 * message. A wait for the rate limiter is not a failure. Other errors stay unchanged.
 */
export function toActivityFailure(error: unknown): unknown {
  if (error instanceof LedgerError) return ApplicationFailure.nonRetryable(error.message, error.code);
  if (error instanceof RateLimitedError) return retryLater(error.waitMs, error.message);
  if (error instanceof ApiError) return toApiFailure(error);
  return error;
}

function toApiFailure(error: ApiError): ApplicationFailure {
  const { type, message, nonRetryable, nextRetryDelayMs, benign, details } = toFailureData(error);
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable,
    details: [details],
    ...(nextRetryDelayMs === null ? {} : { nextRetryDelay: nextRetryDelayMs }),
    ...(benign ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}
