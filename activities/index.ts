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
  return refusingForGood({
    ...runActivities(deps),
    ...crawlActivities(deps),
    ...dispatchActivities(deps),
    ...trackActivities(deps),
    ...checkActivities(deps),
  });
}

/** What the ledger refuses it refuses every time: the workflow fails with its sentence instead of asking for ever. */
function refusingForGood(activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, activity]) => {
    const run: Activities[string] = async (...args) => {
      try {
        return await activity(...args);
      } catch (error) {
        if (error instanceof LedgerRefusal) throw ApplicationFailure.nonRetryable(error.message, error.code);
        throw error;
      }
    };
    return [name, run] as const;
  });
  return Object.fromEntries(wrapped) as Activities;
}
