import type { Activities } from '../src/temporal-api/activities.ts';
import { checkActivities } from './checks.ts';
import { crawlActivities } from './crawl.ts';
import type { Deps } from './deps.ts';
import { dispatchActivities } from './dispatch.ts';
import { runActivities } from './runs.ts';
import { showWaits } from './shown-waits.ts';
import { trackActivities } from './track.ts';

/** All activities of a worker. Wrap them in `activityInterceptor`, which translates the errors that they throw. */
export function createActivities(deps: Deps): Activities {
  const runs = runActivities(deps);
  const dispatch = dispatchActivities(deps);
  const checks = checkActivities(deps);
  const track = trackActivities(deps);
  return {
    ...runs,
    ...crawlActivities(deps),
    awaitRun: showWaits(deps, 'next check', runs.awaitRun),
    sendNextBatch: showWaits(deps, 'next attempt', dispatch.sendNextBatch),
    awaitMoney: showWaits(deps, 'next check', dispatch.awaitMoney),
    awaitKey: showWaits(deps, 'next check', dispatch.awaitKey),
    followSubmission: showWaits(deps, 'next poll', track.followSubmission),
    checkNextBatch: showWaits(deps, 'next attempt', checks.checkNextBatch),
  };
}
