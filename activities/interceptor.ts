import type { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptors } from '@temporalio/worker';
import { ApiError } from '../src/api-client/errors.ts';
import { toFailureData } from '../src/api-client/failure.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { type BackoffSettings, backoffMs } from '../src/submission/backoff.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import { countLost, type Heartbeat, OUTAGE_WAITS, toLostAttempt } from './lost-attempts.ts';

const HEARTBEAT_MS = 3_000;

/** Activities that send their own heartbeats, with their progress. */
const SENDS_HEARTBEATS: ReadonlySet<string> = new Set(['crawlWatch']);

/**
 * How often an activity may fail. A crawl reads untrusted input: what recurs ends the run, so that the next one begins
 * and you are notified. All others go on until they succeed. Lost attempts are not failures.
 */
const MOST_FAILURES: Readonly<Record<string, number>> = { crawlWatch: 5 };

const FAILURE_WAITS: BackoffSettings = { baseMs: 5_000, maxMs: 300_000 };

export interface InterceptorOptions {
  /** In [0, 1), for jitter. */
  readonly random?: () => number;
  /** Between two attempts while the ledger cannot be used. */
  readonly outageWaits?: BackoffSettings;
}

/**
 * Wraps every activity: sends heartbeats, so that a killed worker's activities resume elsewhere within seconds, and
 * translates the modules' errors into what the server needs to know about retries.
 */
export const createActivityInterceptor =
  ({ random = Math.random, outageWaits: waits = OUTAGE_WAITS }: InterceptorOptions = {}) =>
  (context: Context): ActivityInterceptors => {
    const { info } = context;
    const lost = countLost(info);
    const inbound: ActivityInboundCallsInterceptor = {
      async execute(input, next) {
        let isTakenForLost = false;
        const ticker = setInterval(() => {
          isTakenForLost = true;
          if (!SENDS_HEARTBEATS.has(info.activityType)) context.heartbeat({ lost: lost + 1 } satisfies Heartbeat);
        }, HEARTBEAT_MS);
        try {
          return await next(input);
        } catch (error) {
          const lostAttempt = toLostAttempt(error, { lost, random: random(), waits });
          const isLost = lostAttempt !== null;
          // The server has what is right already of most waits, which are short: a heartbeat is a request.
          if (isLost || isTakenForLost) context.heartbeat({ lost: isLost ? lost + 1 : lost } satisfies Heartbeat);
          throw lostAttempt ?? limitFailures(toActivityFailure(error), info, lost);
        } finally {
          clearInterval(ticker);
        }
      },
    };
    return { inbound };
  };

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

/** The failure that is one too many is the last. Waits grow with the failures, not with the attempts. */
function limitFailures(error: unknown, { activityType, attempt }: Context['info'], lost: number): unknown {
  const most = MOST_FAILURES[activityType];
  if (most === undefined || error instanceof CancelledFailure) return error;
  const failure = ApplicationFailure.fromError(error as Error);
  const failures = attempt - lost;
  const { nextRetryDelay = backoffMs(failures, 1, null, FAILURE_WAITS), nonRetryable } = failure;
  return Object.assign(failure, { nextRetryDelay, nonRetryable: nonRetryable === true || failures >= most });
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
