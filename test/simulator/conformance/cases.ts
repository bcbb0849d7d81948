import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import type { ApplicationFailure, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { SCHEDULE_CASES } from './schedule-cases.ts';

export interface Stage {
  readonly client: Client;
  readonly taskQueue: string;
  /** Makes the ids of workflows unique. */
  readonly suffix: string;
}

// Not imported from the workflows: those are loaded by workers alone.
const ADD = { name: 'add', type: 'signal' } as unknown as SignalDefinition<[string]>;
const END = { name: 'end', type: 'signal' } as unknown as SignalDefinition;
const JOIN = { name: 'join', type: 'update' } as unknown as UpdateDefinition<string, [string]>;

export type Case = (stage: Stage) => Promise<unknown>;

const start = ({ client, taskQueue, suffix }: Stage, type: string, args: unknown[] = []) =>
  client.workflow.start(type, { workflowId: `${type}/${suffix}`, taskQueue, args });

const result =
  (type: string): Case =>
  async (stage) =>
    (await start(stage, type)).result();

const nameOfError = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'none';
  } catch (error) {
    return (error as Error).name;
  }
};

/** Each behaviour that the stand-in claims: what a client sees of it must be the same on the real server. */
export const CASES: Readonly<Record<string, Case>> = {
  ...SCHEDULE_CASES,
  'an activity is tried until it succeeds, as often as its policy says, and not after a permanent failure':
    result('retries'),
  'a failure names the time of the next attempt': result('namedDelay'),
  'an activity without heartbeats is tried again': result('heartbeatTimeout'),
  'an activity that takes too long is tried again': result('startToCloseTimeout'),
  'an activity ends with the time that all of its attempts have': result('scheduleToCloseTimeout'),
  'timers fire, and a condition ends with its time': result('timers'),
  'a cancelled scope ends its timer and its activity': result('cancellation'),
  'signals reach a workflow in their order, also before it listens': async (stage) => {
    const { client, taskQueue, suffix } = stage;
    const workflowId = `signals/${suffix}`;
    const handle = await client.workflow.signalWithStart('signals', {
      ...{ workflowId, taskQueue, args: [], signal: ADD, signalArgs: ['first'] },
    });
    await handle.signal(ADD, 'second');
    await handle.signal(ADD, 'third');
    await handle.signal(END);
    return handle.result();
  },
  'an update gives its result, is rejected by its validator, or fails': async (stage) => {
    const handle = await start(stage, 'updates');
    const update = async (name: string) => {
      try {
        return await handle.executeUpdate(JOIN, { args: [name] });
      } catch (error) {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        return (error.cause as ApplicationFailure).type;
      }
    };
    const answers = [await update('ann'), await update(''), await update('late'), await update('bob')];
    await handle.signal(END);
    return [...answers, await handle.result()];
  },
  'a workflow that continues as new loses no signal': async (stage) => {
    const handle = await start(stage, 'continues', [0, []]);
    for (const text of ['a', 'b', 'c']) {
      await handle.signal(ADD, text);
      await new Promise((resolve) => setTimeout(resolve, 350));
    }
    return handle.result();
  },
  'a failed workflow is failed': async (stage) => {
    const handle = await start(stage, 'failing');
    await handle.result().catch(() => undefined);
    return (await handle.describe()).status.name;
  },
  'an id has one run at a time, which a caller may use or refuse, and another after it': async (stage) => {
    const { client, taskQueue, suffix } = stage;
    const handle = await start(stage, 'waits');
    const refused = await nameOfError(() => start(stage, 'waits'));
    const used = await nameOfError(() =>
      client.workflow.start('waits', {
        ...{ workflowId: `waits/${suffix}`, taskQueue, args: [], workflowIdConflictPolicy: 'USE_EXISTING' },
      }),
    );
    await handle.signal(END);
    const first = await handle.result();
    const late = await nameOfError(() => handle.signal(END));
    const again = await start(stage, 'waits');
    await again.terminate();
    const { name } = (await again.describe()).status;
    return { refused, used, first, late, name };
  },
  'an id whose run has ended is used again as its policy says': async (stage) => {
    const { client, taskQueue, suffix } = stage;
    const workflowId = `again/${suffix}`;
    const startAs = (workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY' | 'ALLOW_DUPLICATE') =>
      client.workflow.start('waits', { workflowId, taskQueue, args: [], workflowIdReusePolicy });
    const completed = await startAs('REJECT_DUPLICATE');
    await completed.signal(END);
    await completed.result();
    const refused = [
      await nameOfError(() => startAs('REJECT_DUPLICATE')),
      await nameOfError(() => startAs('ALLOW_DUPLICATE_FAILED_ONLY')),
    ];
    await (await startAs('ALLOW_DUPLICATE')).terminate();
    const terminated = await startAs('ALLOW_DUPLICATE_FAILED_ONLY');
    await terminated.terminate();
    return { refused, last: await nameOfError(() => startAs('REJECT_DUPLICATE')) };
  },
};

export async function playCases(stage: Stage): Promise<Record<string, unknown>> {
  const played = Object.entries(CASES).map(async ([name, play]) => [name, await play(stage)] as const);
  return Object.fromEntries(await Promise.all(played));
}
