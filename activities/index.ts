import type { Activities } from '../src/temporal-api/activities.ts';
import { checkActivities } from './checks.ts';
import { crawlActivities } from './crawl.ts';
import type { Deps } from './deps.ts';
import { dispatchActivities } from './dispatch.ts';
import { runActivities } from './runs.ts';
import { trackActivities } from './track.ts';

/** All activities of a worker. Wrap them in `activityInterceptor`, which translates the errors that they throw. */
export function createActivities(deps: Deps): Activities {
  return {
    ...runActivities(deps),
    ...crawlActivities(deps),
    ...dispatchActivities(deps),
    ...trackActivities(deps),
    ...checkActivities(deps),
  };
}
