import { asyncLocalStorage, Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor, ActivityInterceptors } from '@temporalio/worker';
import type { Host, Kernel } from '../platform/kernel.ts';
import { describeCommand, type Job, toPayload } from './history.ts';
import { Instance, toFailure, type UpdateOutcome, WorkflowTaskFailed } from './instance.ts';
import type { ActivityOutcome, Attempt, PendingActivity } from './pending-activity.ts';
import type { Run, VirtualTemporal } from './server.ts';

export interface WorkerSettings {
  readonly server: VirtualTemporal;
  readonly host: Host;
  /** Those that it polls. */
  readonly taskQueues: readonly string[];
  readonly workflows: Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
  readonly activities: object;
  readonly interceptor?: (context: Context) => ActivityInterceptors;
  /** Default: a slot for every activity. */
  readonly takeSlot?: TakeSlot;
}

/** Begins an attempt when the worker has a slot for it. */
export type TakeSlot = (activity: PendingActivity, begin: (release: () => void) => void) => void;

type Activities = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** A worker process: runs workflow tasks from its memory or from the history, and attempts of activities. */
export class VirtualWorker {
  readonly host: Host;
  readonly taskQueues: readonly string[];
  readonly takeSlot: TakeSlot;
  /** A worker that is cut off gets no new work, and its heartbeats are lost. */
  polls = true;
  readonly #server: VirtualTemporal;
  readonly #kernel: Kernel;
  readonly #settings: WorkerSettings;
  readonly #instances = new Map<Run, { readonly instance: Instance; tasks: number }>();

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#server = settings.server;
    this.#kernel = settings.server.kernel;
    this.host = settings.host;
    this.taskQueues = settings.taskQueues;
    this.takeSlot = settings.takeSlot ?? ((_, begin) => begin(() => undefined));
    settings.server.addWorker(this);
  }

  forget(run: Run): void {
    this.#instances.delete(run);
  }

  /** Null when the code failed the task: it stays as it is. */
  runTask(
    run: Run,
    jobs: readonly Job[],
    suggested: boolean,
  ): { commands: Instance['commands']; updates: UpdateOutcome[] } | null {
    try {
      const instance = this.#load(run);
      instance.continueAsNewSuggested = suggested;
      const done = instance.apply(jobs);
      const known = this.#instances.get(run);
      if (known !== undefined) known.tasks += 1;
      if (instance.ended) this.#instances.delete(run);
      return done;
    } catch (error) {
      if (!(error instanceof WorkflowTaskFailed)) throw error;
      this.#server.onBreach(`workflow code failed: ${error.message}`);
      return null;
    }
  }

  #load(run: Run): Instance {
    const known = this.#instances.get(run);
    if (known !== undefined && known.tasks === run.tasks.length) return known.instance;
    const { workflowId, runId, type, taskQueue, args } = run;
    const instance = new Instance({
      ...{ workflowId, runId, type, taskQueue, args },
      run: this.#settings.workflows[type]!,
      now: () => this.#kernel.elapsed,
    });
    for (const task of run.tasks) {
      instance.continueAsNewSuggested = task.suggested;
      const { commands } = instance.apply(task.jobs);
      const again = commands.map(describeCommand).join(', ');
      const before = task.commands.map(describeCommand).join(', ');
      if (again !== before) throw new WorkflowTaskFailed(`${workflowId} replayed as [${again}], recorded: [${before}]`);
    }
    this.#instances.set(run, { instance, tasks: run.tasks.length });
    return instance;
  }

  async runActivity(activity: PendingActivity, attempt: Attempt): Promise<ActivityOutcome> {
    const { type, args } = activity.command;
    const cancelling = new AbortController();
    const context = this.#createContext(activity, attempt, cancelling);
    const call = (this.#settings.activities as Activities)[type];
    if (call === undefined) throw new Error(`no activity ${type}`);
    const inbound: ActivityInboundCallsInterceptor = this.#settings.interceptor?.(context).inbound ?? {};
    const input = { args: JSON.parse(args) as unknown[], headers: {} };
    const next = (given: { readonly args: unknown[] }) => call(...given.args);
    try {
      const result = await asyncLocalStorage.run(context, () =>
        inbound.execute === undefined ? next(input) : inbound.execute(input, next as never),
      );
      return { kind: 'completed', result: toPayload(result) };
    } catch (error) {
      return { kind: 'failed', failure: toFailure(error) };
    }
  }

  #createContext(activity: PendingActivity, attempt: Attempt, cancelling: AbortController): Context {
    const { run, command } = activity;
    const info = {
      activityId: String(command.seq),
      activityType: command.type,
      attempt: attempt.number,
      isLocal: false,
      taskToken: new Uint8Array(),
      base64TaskToken: '',
      activityNamespace: 'default',
      workflowExecution: { workflowId: run.workflowId, runId: run.runId },
      workflowType: run.type,
      scheduledTimestampMs: Math.floor(this.#kernel.epoch + command.at),
      currentAttemptScheduledTimestampMs: Math.floor(this.#kernel.epoch + attempt.scheduledAt),
      scheduleToCloseTimeoutMs: command.options.scheduleToCloseMs ?? 0,
      startToCloseTimeoutMs: command.options.startToCloseMs,
      heartbeatDetails: activity.heartbeatDetails,
      taskQueue: command.options.taskQueue ?? run.taskQueue,
    };
    const heartbeat = (details: unknown) => {
      if (!this.polls || !this.#server.isUp || !this.host.alive) return;
      activity.heartbeat(attempt, details);
      if (activity.isCancelRequested) cancelling.abort(new Error('the activity is cancelled'));
    };
    const silent = () => undefined;
    const log = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
    return new Context(
      info as unknown as Context['info'],
      new Promise<never>(() => undefined),
      cancelling.signal,
      heartbeat,
      undefined,
      log as unknown as Context['log'],
      {} as Context['metricMeter'],
      { details: undefined } as never,
    );
  }
}
