import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { LedgerRefusal } from '../src/ledger/refusal.ts';
import type { Activities } from './activities.ts';
import { checkActivities } from './checks.ts';
import { crawlActivities } from './crawl.ts';
import type { Deps } from './deps.ts';
import { dispatchActivities } from './dispatch.ts';
import { runActivities } from './runs.ts';
import { trackActivities } from './track.ts';

export type { Activities } from './activities.ts';

/** All activities of a worker. */
export function createActivities(deps: Deps): Activities {
  return wrapped({
    ...runActivities(deps),
    ...crawlActivities(deps),
    ...dispatchActivities(deps),
    ...trackActivities(deps),
    ...checkActivities(deps),
  });
}

const HEARTBEAT_MS = 3_000;

/**
 * Every activity tells the server that its worker lives, so that what a killed worker held goes on elsewhere within
 * seconds. What the ledger refuses it refuses every time: that fails the workflow with its sentence.
 */
function wrapped(activities: Activities): Activities {
  const all = Object.entries(activities).map(([name, activity]) => {
    const run: Activities[string] = async (...args) => {
      const context = Context.current();
      // The crawl sends its own, with how far it is.
      const alive = name === 'crawlWatch' ? undefined : setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await activity(...args);
      } catch (error) {
        if (error instanceof LedgerRefusal) throw ApplicationFailure.nonRetryable(error.message, error.code);
        throw error;
      } finally {
        clearInterval(alive);
      }
    };
    return [name, run] as const;
  });
  return Object.fromEntries(all) as Activities;
}
