import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import { formatInstantIn, formatSecondIn } from '../src/submission/instant.ts';
import { withoutStack } from '../src/temporal-api/retry-later.ts';
import { withoutStop } from '../src/temporal-api/sentences.ts';
import type { CanWait, Waiting } from '../src/temporal-api/waits.ts';
import type { Deps } from './deps.ts';
import { toActivityFailure } from './interceptor.ts';
import { countLost } from './lost-attempts.ts';

interface Input extends CanWait {
  readonly account: AccountId;
  readonly watch?: WatchId;
}

/** A wait up to this long is named to the second. */
const SHORT_MS = 120_000;

/**
 * Adds the time of the next attempt, in the zone of the watch, to the message of an activity that waits. A wait that the
 * workflow shows ends the activity: its result is then a `Waiting`, which only `workflows/show-waits.ts` reads. `next`: what
 * happens at that time.
 */
export function showWaits<I extends Input, R>(
  deps: Pick<Deps, 'config' | 'now'>,
  next: string,
  work: (input: I) => Promise<R>,
): (input: I) => Promise<R> {
  return async (input) => {
    try {
      return await work(input);
    } catch (error) {
      const failure = toActivityFailure(error);
      const waitMs = getWait(failure);
      if (waitMs === null) throw failure;
      const { message, type, details } = failure as ApplicationFailure;
      const why = withoutStop(message);
      const when = `${next} ${formatTime(getZone(deps, input), deps.now() + waitMs, waitMs)}`;
      const { waits } = input;
      if (waits === undefined || waitMs < waits.fromMs) {
        throw withoutStack(
          ApplicationFailure.create({
            message: `${why}; ${when}`,
            nextRetryDelay: waitMs,
            category: ApplicationFailureCategory.BENIGN,
            ...(type == null ? {} : { type }),
            ...(details == null ? {} : { details }),
          }),
        );
      }
      const { scheduledTimestampMs } = Context.current().info;
      const result: Waiting = {
        waiting: {
          waitMs,
          why,
          next: when,
          attempts: countAttempts(waits),
          since: waits.since ?? scheduledTimestampMs,
        },
      };
      return result as R;
    }
  };
}

/** Attempts of a wait up to this one, over all calls that it took. Lost ones do not count. */
export function countAttempts(waits: CanWait['waits']): number {
  const { info } = Context.current();
  return (waits?.attempts ?? 0) + info.attempt - countLost(info);
}

/** The zone of the watch, else of a watch of the account. */
export function getZone({ config }: Pick<Deps, 'config'>, { account, watch }: Omit<Input, 'waits'>): string {
  const own = watch === undefined ? undefined : config.watches.get(watch)?.schedule?.timezone;
  if (own !== undefined) return own;
  for (const each of config.watches.values()) {
    if (each.account === account && each.schedule !== null) return each.schedule.timezone;
  }
  return 'UTC';
}

const formatTime = (zone: string, at: number, waitMs: number): string =>
  waitMs < SHORT_MS ? formatSecondIn(zone, at) : formatInstantIn(zone, at);

/** How long a benign failure asks to wait; null for another error. */
function getWait(error: unknown): number | null {
  if (!(error instanceof ApplicationFailure) || error.category !== ApplicationFailureCategory.BENIGN) return null;
  return typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
}
