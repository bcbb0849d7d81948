import { fence, type Host, type Kernel, runOn } from '../platform/kernel.ts';
import { type Command, countEvents, type Failure, type Job, type Task, toPayload } from './history.ts';
import type { UpdateOutcome } from './instance.ts';
import { PendingActivity } from './pending-activity.ts';
import type { VirtualSchedule } from './schedule.ts';
import type { VirtualWorker } from './worker.ts';

/** How long the server gives a worker for a workflow task. */
const WORKFLOW_TASK_MS = 10_000;
/** Share of the tasks of a workflow that are replayed, while its history is short. */
const MOST_EVICTIONS = 0.2;

export interface StartOptions {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: readonly unknown[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TERMINATED' | 'CONTINUED_AS_NEW';

/** One run of a workflow, as the server keeps it. */
export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly args: readonly unknown[];
  readonly taskQueue: string;
  readonly attributes: Record<string, unknown>;
  readonly tasks: Task[];
  readonly activities: Map<number, PendingActivity>;
  readonly timers: Map<number, { cancel(): void }>;
  status: RunStatus;
  result: string | null;
  failure: Failure | null;
  /** What the workflow has not heard of. */
  waiting: Job[];
  /** Events that the real server would have counted. */
  events: number;
  /** The jobs of the task that a worker has. */
  inTask: readonly Job[] | null;
  isTaskScheduled: boolean;
  /** Has it in memory. */
  worker: VirtualWorker | null;
  /** When it ended, since the simulation began; null while it runs. */
  endedAt: number | null;
}

/** What makes a schedule start a workflow: one of its times, or a client. */
export type StartedBy = 'time' | 'trigger';

export interface ServerSettings {
  readonly kernel: Kernel;
  /** Milliseconds until the next message arrives. */
  readonly latency: () => number;
  /** Events after which continue-as-new is suggested; the real server: about 4,000. */
  readonly suggestAfter: number;
  /** Whether a worker keeps every workflow that it has in memory; else it loses one now and then, and histories are replayed. */
  readonly isSticky?: boolean;
  /** A retry of an activity may come later than it asks for: after so many milliseconds at least. */
  readonly leastRetryMs?: (activityType: string) => number;
  /** So may a timer of a workflow. */
  readonly leastTimerMs?: (workflowType: string, summary: string) => number;
  /** A schedule starts a workflow. */
  readonly onScheduled?: (type: string, args: readonly unknown[], by: StartedBy) => void;
  /** A workflow has taken an update. */
  readonly onUpdated?: (workflowId: string, name: string) => void;
  readonly onBreach: (text: string) => void;
}

/**
 * What of a Temporal server our workflows rely on: histories survive, every activity runs at least once, timers fire,
 * signals arrive, and a worker that dies is replaced from the history.
 */
export class VirtualTemporal {
  readonly kernel: Kernel;
  readonly latency: () => number;
  readonly leastRetryMs: (activityType: string) => number;
  readonly leastTimerMs: (workflowType: string, summary: string) => number;
  readonly onScheduled: (type: string, args: readonly unknown[], by: StartedBy) => void;
  readonly #onUpdated: (workflowId: string, name: string) => void;
  readonly onBreach: (text: string) => void;
  /** All runs of a workflow id, the latest last. */
  readonly executions = new Map<string, Run[]>();
  readonly schedules = new Map<string, VirtualSchedule>();
  /** Nothing reaches the server while it is down; its state is on its disk. */
  isUp = true;
  readonly #suggestAfter: number;
  readonly #isSticky: boolean;
  readonly #workers = new Map<string, VirtualWorker[]>();
  readonly #backlog: { readonly queue: string; readonly give: (worker: VirtualWorker) => void }[] = [];
  readonly #updates = new Map<string, (outcome: UpdateOutcome) => void>();
  readonly #ends = new Map<string, (() => void)[]>();
  #runs = 0;

  constructor(settings: ServerSettings) {
    const { kernel, latency, suggestAfter, isSticky = false, onBreach } = settings;
    this.onScheduled = settings.onScheduled ?? (() => undefined);
    this.leastRetryMs = settings.leastRetryMs ?? (() => 0);
    this.leastTimerMs = settings.leastTimerMs ?? (() => 0);
    this.kernel = kernel;
    this.latency = latency;
    this.#onUpdated = settings.onUpdated ?? (() => undefined);
    this.onBreach = onBreach;
    this.#suggestAfter = suggestAfter;
    this.#isSticky = isSticky;
  }

  // Workers

  addWorker(worker: VirtualWorker): void {
    for (const queue of worker.taskQueues) {
      const workers = (this.#workers.get(queue) ?? []).filter(({ host }) => host.alive);
      this.#workers.set(queue, [...workers, worker]);
    }
    this.#giveBacklog();
  }

  /** Gives work to a worker of the queue, now or when there is one. */
  #dispatch(queue: string, give: (worker: VirtualWorker) => void, preferred: VirtualWorker | null = null): void {
    if (this.isUp && preferred?.host.alive === true && preferred.polls) {
      give(preferred);
      return;
    }
    const workers = this.isUp ? (this.#workers.get(queue) ?? []).filter(({ host, polls }) => host.alive && polls) : [];
    if (workers.length === 0) this.#backlog.push({ queue, give });
    else give(workers[Math.floor(this.kernel.random() * workers.length)]!);
  }

  #giveBacklog(): void {
    for (const { queue, give } of this.#backlog.splice(0)) this.#dispatch(queue, give);
  }

  stop(): void {
    this.isUp = false;
  }

  restart(): void {
    this.isUp = true;
    this.#giveBacklog();
    for (const schedule of this.schedules.values()) schedule.process();
  }

  // Executions

  getRun(workflowId: string): Run | undefined {
    return this.executions.get(workflowId)?.at(-1);
  }

  isRunning(workflowId: string): boolean {
    return this.getRun(workflowId)?.status === 'RUNNING';
  }

  /** Forgets what ended before that time, as a server does, and tells how many runs and the most events of one. */
  takeEnded(before: number): { executions: number; mostEvents: number } {
    let [executions, mostEvents] = [0, 0];
    for (const [id, runs] of this.executions) {
      const kept = runs.filter(({ endedAt }) => endedAt === null || endedAt >= before);
      for (const run of runs) mostEvents = Math.max(mostEvents, run.events);
      executions += runs.length - kept.length;
      if (kept.length === 0) this.executions.delete(id);
      else if (kept.length < runs.length) this.executions.set(id, kept);
    }
    return { executions, mostEvents };
  }

  listRunning(): Run[] {
    return [...this.executions.values()].flatMap((runs) => runs.filter(({ status }) => status === 'RUNNING'));
  }

  start(type: string, { workflowId, taskQueue, args, attributes }: StartOptions): Run {
    const run = this.#open(type, workflowId, taskQueue, args, attributes);
    this.tell(run, { kind: 'start' });
    return run;
  }

  #open(
    type: string,
    workflowId: string,
    taskQueue: string,
    args: readonly unknown[],
    attributes: Readonly<Record<string, unknown>>,
  ): Run {
    this.#runs += 1;
    const run: Run = {
      workflowId,
      runId: `run-${this.#runs}`,
      type,
      args: JSON.parse(JSON.stringify(args)) as unknown[],
      taskQueue,
      attributes: { ...attributes },
      tasks: [],
      activities: new Map(),
      timers: new Map(),
      status: 'RUNNING',
      result: null,
      failure: null,
      waiting: [],
      events: 0,
      inTask: null,
      isTaskScheduled: false,
      worker: null,
      endedAt: null,
    };
    this.executions.set(workflowId, [...(this.executions.get(workflowId) ?? []), run]);
    return run;
  }

  tell(run: Run, job: Job): void {
    if (run.status !== 'RUNNING') return;
    run.waiting.push(job);
    this.#scheduleTask(run);
  }

  signal(workflowId: string, name: string, args: readonly unknown[]): boolean {
    const run = this.getRun(workflowId);
    if (run?.status !== 'RUNNING') return false;
    this.tell(run, { kind: 'signal', name, args: JSON.stringify(args) });
    return true;
  }

  /** `then` hears of it once; never, when the run ends first. */
  update(run: Run, name: string, args: readonly unknown[], then: (outcome: UpdateOutcome) => void): void {
    this.#runs += 1;
    const id = `update-${this.#runs}`;
    this.#updates.set(id, then);
    this.tell(run, { kind: 'update', id, name, args: JSON.stringify(args) });
  }

  /** Calls back when the workflow, or what continues it, has ended. */
  onEnd(workflowId: string, then: () => void): void {
    if (!this.isRunning(workflowId)) then();
    else this.#ends.set(workflowId, [...(this.#ends.get(workflowId) ?? []), then]);
  }

  terminate(run: Run): void {
    this.#close(run, 'TERMINATED');
  }

  /**
   * Runs it again from its `task`-th workflow task. Signals that came later are delivered again; activities and timers that
   * had not ended by then begin again. What runs of the old run is abandoned.
   */
  reset(run: Run, task: number): Run {
    const again = this.#open(run.type, run.workflowId, run.taskQueue, run.args, run.attributes);
    const kept = run.tasks.slice(0, task);
    const later = [...run.tasks.slice(task + 1).flatMap(({ jobs }) => jobs), ...(run.inTask ?? []), ...run.waiting];
    for (const each of kept) addTask(again, each);
    const jobs = [
      ...(run.tasks[task]?.jobs ?? []),
      ...later.filter(({ kind }) => kind === 'signal' || kind === 'update'),
    ];
    const closed = new Set(
      [...kept.flatMap((each) => each.jobs), ...jobs].flatMap((job) =>
        job.kind === 'activity' || job.kind === 'activity-failed' || job.kind === 'timer' ? [job.seq] : [],
      ),
    );
    const commands = kept.flatMap((each) => each.commands);
    for (const command of commands) {
      if (command.kind === 'cancel-timer') closed.add(command.seq);
    }
    if (run.status === 'RUNNING') this.#close(run, 'TERMINATED', false);
    for (const command of commands) {
      if ((command.kind === 'activity' || command.kind === 'timer') && !closed.has(command.seq)) {
        this.#carryOut(again, command);
      }
      if (command.kind === 'cancel-activity') this.#carryOut(again, command);
    }
    for (const job of jobs) this.tell(again, job);
    return again;
  }

  // Workflow tasks

  #scheduleTask(run: Run): void {
    if (run.isTaskScheduled || run.inTask !== null || run.status !== 'RUNNING') return;
    run.isTaskScheduled = true;
    this.kernel.schedule(this.latency(), null, () => {
      const giveTask = (worker: VirtualWorker) => {
        run.isTaskScheduled = false;
        if (run.status !== 'RUNNING') return;
        const jobs = run.waiting;
        if (jobs.length === 0) return;
        run.waiting = [];
        run.inTask = jobs;
        run.worker = worker;
        const suggested = run.events >= this.#suggestAfter;
        this.kernel.schedule(this.latency(), worker.host, () => {
          const done = worker.runTask(run, jobs, suggested);
          if (done === null) return;
          this.whenUp(worker.host, () => {
            timeout.cancel();
            this.#completeTask(run, worker, { jobs, suggested, ...done });
          });
        });
        const timeout = this.kernel.schedule(WORKFLOW_TASK_MS, null, () => {
          if (run.inTask === jobs) this.#repeatTask(run);
        });
      };
      const isLost = !this.#isSticky && this.#isEvicted(run);
      if (isLost) run.worker?.forget(run);
      this.#dispatch(run.taskQueue, giveTask, isLost ? null : run.worker);
    });
  }

  /** Long histories are lost less often: on average one task of each task's history is replayed. */
  #isEvicted({ tasks }: Run): boolean {
    return this.kernel.random() < Math.min(MOST_EVICTIONS, 1 / tasks.length);
  }

  /** Calls the server from a host, now or when it is up again. */
  whenUp(host: Host, work: () => void): void {
    this.kernel.schedule(this.latency(), host, () => {
      if (this.isUp) work();
      else this.kernel.schedule(1_000, host, () => this.whenUp(host, work));
    });
  }

  #repeatTask(run: Run): void {
    run.waiting = [...(run.inTask ?? []), ...run.waiting];
    run.inTask = null;
    this.#scheduleTask(run);
  }

  #completeTask(
    run: Run,
    worker: VirtualWorker,
    { jobs, suggested, commands, updates }: Task & { readonly updates: readonly UpdateOutcome[] },
  ): void {
    if (run.inTask !== jobs || run.status !== 'RUNNING') {
      worker.forget(run);
      return;
    }
    const ends = commands.some(({ kind }) => kind === 'complete' || kind === 'fail' || kind === 'continue');
    if (ends && run.waiting.length > 0) {
      // UnhandledCommand: something came meanwhile that the workflow must hear of first.
      worker.forget(run);
      this.#repeatTask(run);
      return;
    }
    const rejected = new Set(updates.filter((update) => update.rejected).map(({ id }) => id));
    run.inTask = null;
    addTask(run, {
      jobs: jobs.filter((job) => job.kind !== 'update' || !rejected.has(job.id)),
      suggested,
      commands,
    });
    for (const command of commands) this.#carryOut(run, command);
    for (const update of updates) {
      const job = jobs.find((each) => each.kind === 'update' && each.id === update.id);
      if (!update.rejected && update.failure === undefined && job?.kind === 'update')
        this.#onUpdated(run.workflowId, job.name);
      this.#updates.get(update.id)?.(update);
      this.#updates.delete(update.id);
    }
    if (run.waiting.length > 0) this.#scheduleTask(run);
  }

  #carryOut(run: Run, command: Command): void {
    switch (command.kind) {
      case 'activity': {
        const activity = new PendingActivity(this, run, command);
        run.activities.set(command.seq, activity);
        activity.schedule(0);
        return;
      }
      case 'cancel-activity':
        run.activities.get(command.seq)?.requestCancel();
        return;
      case 'timer':
        run.timers.set(
          command.seq,
          this.kernel.schedule(this.#getTimerEnd(run, command) - this.kernel.elapsed, null, () => {
            run.timers.delete(command.seq);
            this.tell(run, { kind: 'timer', seq: command.seq });
          }),
        );
        return;
      case 'cancel-timer':
        run.timers.get(command.seq)?.cancel();
        run.timers.delete(command.seq);
        return;
      case 'attributes':
        Object.assign(run.attributes, JSON.parse(command.values));
        return;
      case 'complete':
        run.result = command.result;
        this.#close(run, 'COMPLETED');
        return;
      case 'fail':
        run.failure = command.failure;
        this.#close(run, 'FAILED');
        return;
      case 'continue': {
        this.#close(run, 'CONTINUED_AS_NEW', false);
        const next = this.#open(
          run.type,
          run.workflowId,
          run.taskQueue,
          JSON.parse(command.args) as unknown[],
          run.attributes,
        );
        this.tell(next, { kind: 'start' });
      }
    }
  }

  #getTimerEnd({ type }: Run, { at, ms, summary }: Extract<Command, { kind: 'timer' }>): number {
    return at + Math.max(ms, this.leastTimerMs(type, summary));
  }

  #close(run: Run, status: RunStatus, isEnd = true): void {
    run.status = status;
    run.endedAt = this.kernel.elapsed;
    for (const activity of run.activities.values()) activity.abandon();
    for (const timer of run.timers.values()) timer.cancel();
    run.activities.clear();
    run.timers.clear();
    run.waiting = [];
    run.inTask = null;
    this.kernel.trace(`${run.workflowId} ${status}${run.failure === null ? '' : `: ${run.failure.message}`}`);
    if (!isEnd) return;
    const waiting = this.#ends.get(run.workflowId) ?? [];
    this.#ends.delete(run.workflowId);
    for (const then of waiting) then();
  }

  // Activities

  giveActivity(activity: PendingActivity): void {
    this.kernel.schedule(this.latency(), null, () => {
      this.#dispatch(activity.command.options.taskQueue ?? activity.run.taskQueue, (worker) => {
        worker.takeSlot(activity, (release) => {
          const token = activity.start();
          if (token === null) {
            release();
            return;
          }
          this.kernel.schedule(this.latency(), worker.host, () => {
            void fence(
              worker.host,
              runOn(worker.host, () => worker.runActivity(activity, token)),
            ).then((outcome) => {
              release();
              this.whenUp(worker.host, () => activity.end(token, outcome));
            });
          });
        });
      });
    });
  }
}

function addTask(run: Run, task: Task): void {
  run.tasks.push(task);
  run.events += countEvents(task);
}

export const NO_RESULT = toPayload(undefined);
