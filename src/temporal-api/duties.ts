import type { Activities } from './activities.ts';

/**
 * What a worker does. Each duty but `workflows` has a task queue of its own, so a crawl of a large site never stands
 * before a submission or a poll, and processes can share the work by duty.
 */
export const DUTIES = ['workflows', 'crawl', 'submit', 'track', 'check'] as const;
export type Duty = (typeof DUTIES)[number];
export type ActivityDuty = Exclude<Duty, 'workflows'>;

/** The activities of each duty. Waiting for the jobs of a run is a reading of the ledger, so it stays off the crawls' queue. */
export const ACTIVITIES_OF = {
  crawl: ['beginRun', 'crawlWatch', 'diffRun', 'judgeRun', 'findDecision', 'recordDecision', 'planRun', 'finishRun'],
  submit: ['wakeDispatcher', 'sendNextBatch', 'awaitMoney', 'awaitKey', 'awaitRun'],
  track: ['followSubmission'],
  check: ['checkNextBatch'],
} as const satisfies Record<ActivityDuty, readonly (keyof Activities)[]>;

/** The queue of a duty's tasks, from the queue of the ledger's workflow tasks (see `getTaskQueue`). */
export const getDutyQueue = (taskQueue: string, duty: Duty): string =>
  duty === 'workflows' ? taskQueue : `${taskQueue}/${duty}`;
