import {
  type ActivityFunctionWithOptions,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../src/temporal-api/activities.ts';
import { type ACTIVITIES_OF, type ActivityDuty, getDutyQueue } from '../src/temporal-api/duties.ts';

type DutyActivities<D extends ActivityDuty> = {
  readonly [Name in (typeof ACTIVITIES_OF)[D][number]]: Pick<
    ActivityFunctionWithOptions<Activities[Name]>,
    'executeWithOptions'
  >;
};

/**
 * The activities of a duty, on the duty's task queue. The queue is named after that of the workflow, which is known
 * only while a workflow runs, so it is read at each call.
 */
export function proxyDuty<D extends ActivityDuty>(duty: D, options: ActivityOptions): DutyActivities<D> {
  return new Proxy({} as DutyActivities<D>, {
    get: (_, name) => ({
      executeWithOptions: (own: ActivityOptions, args: unknown[]) => {
        const taskQueue = getDutyQueue(workflowInfo().taskQueue, duty);
        return proxyActivities<Activities>({ ...options, taskQueue })[name as keyof Activities].executeWithOptions(
          own,
          args as never,
        );
      },
    }),
  });
}
