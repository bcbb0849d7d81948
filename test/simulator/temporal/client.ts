import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { fence, type Host } from '../platform/kernel.ts';
import { fromPayload } from './history.ts';
import { type ScheduleSettings, VirtualSchedule } from './schedule.ts';
import type { VirtualTemporal } from './server.ts';

interface Options {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args?: readonly unknown[];
  readonly workflowIdConflictPolicy?: string;
  readonly workflowIdReusePolicy?: string;
  readonly typedSearchAttributes?: readonly { readonly key: { readonly name: string }; readonly value: unknown }[];
  readonly signal?: { readonly name: string };
  readonly signalArgs?: readonly unknown[];
}

/** What of the SDK's client our code calls, from a host. Each call takes a while to the server and a while back. */
export function createClient(server: VirtualTemporal, host: Host): Client {
  const { kernel } = server;

  function call<T>(work: () => T): Promise<T> {
    const answer = new Promise<T>((resolve, reject) => {
      kernel.schedule(server.latency(), null, () => {
        if (!server.isUp) {
          kernel.schedule(1_000, null, () => reject(new ServiceError('the server cannot be reached')));
          return;
        }
        try {
          const value = work();
          kernel.schedule(server.latency(), null, () => resolve(value));
        } catch (error) {
          kernel.schedule(server.latency(), null, () => reject(error as Error));
        }
      });
    });
    return fence(host, answer);
  }

  function startNow(type: string, options: Options): void {
    const { workflowId, taskQueue, args = [], typedSearchAttributes = [] } = options;
    const attributes = Object.fromEntries(typedSearchAttributes.map(({ key, value }) => [key.name, value]));
    server.start(type, { workflowId, taskQueue, args, attributes });
  }

  function getHandle(workflowId: string) {
    const requireRun = () => {
      const run = server.getRun(workflowId);
      if (run === undefined) throw new WorkflowNotFoundError('workflow not found', workflowId, undefined);
      return run;
    };
    return {
      workflowId,
      describe: () => call(() => ({ status: { name: requireRun().status } })),
      signal: ({ name }: { readonly name: string }, ...args: unknown[]) =>
        call(() => {
          if (!server.signal(workflowId, name, args)) {
            throw new WorkflowNotFoundError('workflow execution already completed', workflowId, undefined);
          }
        }),
      executeUpdate: ({ name }: { readonly name: string }, { args }: { readonly args: readonly unknown[] }) =>
        fence(
          host,
          call(() => requireRun()).then(
            (run) =>
              new Promise((resolve, reject) => {
                server.update(run, name, args, ({ result, failure }) => {
                  if (failure === undefined) resolve(fromPayload(result!));
                  else
                    reject(new WorkflowUpdateFailedError('update failed', ApplicationFailure.create({ ...failure })));
                });
              }),
          ),
        ),
      result: () =>
        fence(
          host,
          new Promise((resolve, reject) => {
            server.onEnd(workflowId, () => {
              const run = server.getRun(workflowId);
              if (run?.status === 'COMPLETED') resolve(fromPayload(run.result!));
              else reject(new Error(`${workflowId} ended ${run?.status}: ${run?.failure?.message ?? ''}`));
            });
          }),
        ),
      terminate: () => call(() => server.terminate(requireRun())),
    };
  }

  return {
    schedule: createScheduleClient(server, call),
    workflow: {
      getHandle,
      start: (type: string, options: Options) =>
        call(() => {
          const { workflowId, workflowIdConflictPolicy } = options;
          const isRunning = server.isRunning(workflowId);
          if (!isRunning && mayUseAgain(server, options)) startNow(type, options);
          else if (!isRunning || workflowIdConflictPolicy !== 'USE_EXISTING') {
            throw new WorkflowExecutionAlreadyStartedError('Workflow execution already started', workflowId, type);
          }
          return getHandle(workflowId);
        }),
      signalWithStart: (type: string, options: Options) =>
        call(() => {
          if (!server.isRunning(options.workflowId)) startNow(type, options);
          server.signal(options.workflowId, options.signal!.name, options.signalArgs ?? []);
          return getHandle(options.workflowId);
        }),
    },
  } as unknown as Client;
}

/** Whether the id of a run that has ended may have another one. */
function mayUseAgain(server: VirtualTemporal, { workflowId, workflowIdReusePolicy = 'ALLOW_DUPLICATE' }: Options) {
  const last = server.getRun(workflowId);
  if (last === undefined || workflowIdReusePolicy === 'ALLOW_DUPLICATE') return true;
  return workflowIdReusePolicy === 'ALLOW_DUPLICATE_FAILED_ONLY' && last.status !== 'COMPLETED';
}

type Call = <T>(work: () => T) => Promise<T>;

const NEXT_TIMES = 10;

function describe(schedule: VirtualSchedule) {
  const { settings, taken, skipped, missed } = schedule;
  return {
    ...settings,
    info: {
      numActionsTaken: taken,
      numActionsSkippedOverlap: skipped,
      numActionsMissedCatchupWindow: missed,
      /** Few ask for them. */
      get nextActionTimes() {
        return schedule.listNext(NEXT_TIMES).map((at) => new Date(at));
      },
    },
  };
}

function createScheduleClient(server: VirtualTemporal, call: Call) {
  function requireSchedule(id: string): VirtualSchedule {
    const schedule = server.schedules.get(id);
    if (schedule === undefined) throw new ScheduleNotFoundError('schedule not found', id);
    return schedule;
  }
  const setPaused = (id: string, paused: boolean, note: string) =>
    call(() => {
      const schedule = requireSchedule(id);
      schedule.process();
      schedule.settings = { ...schedule.settings, state: { paused, note } };
    });

  function getHandle(scheduleId: string) {
    return {
      scheduleId,
      describe: () => call(() => describe(requireSchedule(scheduleId))),
      update: async (change: (previous: ScheduleSettings) => ScheduleSettings) => {
        const changed = change(await call(() => requireSchedule(scheduleId).settings));
        await call(() => requireSchedule(scheduleId).update(changed));
      },
      pause: (note = '') => setPaused(scheduleId, true, note),
      unpause: (note = '') => setPaused(scheduleId, false, note),
      trigger: () => call(() => requireSchedule(scheduleId).trigger()),
      delete: () =>
        call(() => {
          requireSchedule(scheduleId).delete();
          server.schedules.delete(scheduleId);
        }),
    };
  }

  return {
    getHandle,
    create: ({
      scheduleId,
      policies = {},
      state: { paused = false, note = '' } = {},
      ...rest
    }: Omit<ScheduleSettings, 'policies' | 'state'> & {
      readonly scheduleId: string;
      readonly policies?: ScheduleSettings['policies'];
      readonly state?: { readonly paused?: boolean; readonly note?: string };
    }) =>
      call(() => {
        if (server.schedules.has(scheduleId)) throw new ScheduleAlreadyRunning('schedule exists', scheduleId);
        const settings = { ...rest, policies, state: { paused, note } };
        server.schedules.set(scheduleId, new VirtualSchedule(server, scheduleId, settings));
        return getHandle(scheduleId);
      }),
    async *list() {
      const all = await call(() => [...server.schedules].map(([scheduleId, each]) => ({ scheduleId, each })));
      for (const { scheduleId, each } of all) yield { scheduleId, state: each.settings.state };
    },
  };
}
