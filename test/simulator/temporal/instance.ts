import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TemporalFailure,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { drain } from '../platform/kernel.ts';
import { type Command, type Failure, fromPayload, type Job, toPayload } from './history.ts';

export interface CancelScope {
  readonly cancelRequested: Promise<never>;
  readonly consideredCancelled: boolean;
}

interface Handler {
  readonly run: (...args: unknown[]) => unknown;
  readonly validator?: (...args: unknown[]) => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export interface UpdateOutcome {
  readonly id: string;
  /** Rejected by its validator: it is not part of the history. */
  readonly rejected: boolean;
  readonly result?: string;
  readonly failure?: Failure;
}

interface Context {
  readonly instance: Instance;
  readonly scope: CancelScope;
}

const contexts = new AsyncLocalStorage<Context>();

export function getContext(): Context {
  const context = contexts.getStore();
  if (context === undefined) throw new Error('this is not a workflow');
  return context;
}

export const inContext = <T>(instance: Instance, scope: CancelScope, work: () => T): T =>
  contexts.run({ instance, scope }, work);

/** Thrown by continueAsNew; ends the run. */
export class ContinuedAsNew extends Error {
  readonly args: readonly unknown[];

  constructor(args: readonly unknown[]) {
    super('the workflow continues as new');
    this.args = args;
  }
}

/** A workflow threw what the SDK would retry without end: a defect of the workflow's code. */
export class WorkflowTaskFailed extends Error {}

export function addCommand(instance: Instance, command: Command): void {
  if (!instance.ended) instance.commands.push(command);
}

export interface InstanceSettings {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly args: readonly unknown[];
  readonly run: (...args: never[]) => Promise<unknown>;
  readonly now: () => number;
}

/** A workflow in a worker's memory. Fed with jobs, it gives the commands that follow from them. */
export class Instance {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly now: () => number;
  readonly activities = new Map<number, Waiting>();
  readonly timers = new Map<number, () => void>();
  readonly conditions = new Set<{ readonly test: () => boolean; readonly resolve: () => void }>();
  commands: Command[] = [];
  updates: UpdateOutcome[] = [];
  runningHandlers = 0;
  continueAsNewSuggested = false;
  details = '';
  ended = false;
  readonly #args: readonly unknown[];
  readonly #run: InstanceSettings['run'];
  readonly #handlers = new Map<string, Handler>();
  #unhandled: Extract<Job, { kind: 'signal' }>[] = [];
  readonly #scope: CancelScope & { cancel(): void };
  #seq = 0;
  #defect: unknown;

  constructor({ workflowId, runId, type, taskQueue, args, run, now }: InstanceSettings) {
    this.workflowId = workflowId;
    this.runId = runId;
    this.type = type;
    this.taskQueue = taskQueue;
    this.now = now;
    this.#args = args;
    this.#run = run;
    this.#scope = createRootScope();
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  setHandler(type: string, name: string, handler: Handler): void {
    this.#handlers.set(`${type} ${name}`, handler);
    if (type !== 'signal') return;
    const waiting = this.#unhandled.filter((signal) => signal.name === name);
    this.#unhandled = this.#unhandled.filter((signal) => signal.name !== name);
    for (const signal of waiting) this.#signal(signal);
  }

  /**
   * Tells the workflow what happened and runs it until it waits again. Returns what it asks for. Signals and updates come
   * first, as in an activation of the SDK. Throws a WorkflowTaskFailed for a defect.
   */
  apply(jobs: readonly Job[]): { commands: Command[]; updates: UpdateOutcome[] } {
    this.commands = [];
    this.updates = [];
    const rank = ({ kind }: Job) => (kind === 'start' ? 0 : kind === 'signal' || kind === 'update' ? 1 : 2);
    for (const job of jobs.length === 1 ? jobs : jobs.toSorted((a, b) => rank(a) - rank(b))) {
      inContext(this, this.#scope, () => this.#tell(job));
      drain();
      this.#unblock();
    }
    if (this.#defect !== undefined) {
      throw new WorkflowTaskFailed(`${this.workflowId}: ${String((this.#defect as Error).stack ?? this.#defect)}`);
    }
    return { commands: this.commands, updates: this.updates };
  }

  #unblock(): void {
    for (let again = true; again; ) {
      again = false;
      for (const blocked of this.conditions) {
        if (!inContext(this, this.#scope, blocked.test)) continue;
        this.conditions.delete(blocked);
        blocked.resolve();
        again = true;
        drain();
      }
    }
  }

  #tell(job: Job): void {
    switch (job.kind) {
      case 'start':
        this.#start();
        return;
      case 'signal':
        this.#signal(job);
        return;
      case 'update':
        this.#update(job);
        return;
      case 'cancel':
        this.#scope.cancel();
        return;
      case 'activity': {
        const waiting = this.activities.get(job.seq);
        this.activities.delete(job.seq);
        waiting?.resolve(fromPayload(job.result));
        return;
      }
      case 'activity-failed': {
        const waiting = this.activities.get(job.seq);
        this.activities.delete(job.seq);
        waiting?.reject(toActivityError(job.type, job.failure));
        return;
      }
      case 'timer': {
        const fire = this.timers.get(job.seq);
        this.timers.delete(job.seq);
        fire?.();
      }
    }
  }

  #start(): void {
    const run = this.#run as (...args: unknown[]) => Promise<unknown>;
    Promise.resolve(run(...this.#args)).then(
      (result) => this.#end({ kind: 'complete', result: toPayload(result) }),
      (error: unknown) => {
        if (error instanceof ContinuedAsNew) this.#end({ kind: 'continue', args: JSON.stringify(error.args) });
        else if (error instanceof TemporalFailure) this.#end({ kind: 'fail', failure: toFailure(error) });
        else this.#defect ??= error;
      },
    );
  }

  #end(command: Command): void {
    addCommand(this, command);
    this.ended = true;
  }

  #signal(job: Extract<Job, { kind: 'signal' }>): void {
    const handler = this.#handlers.get(`signal ${job.name}`);
    if (handler === undefined) this.#unhandled.push(job);
    else void this.#handle(handler, job.args, () => undefined);
  }

  #update({ id, name, args }: Extract<Job, { kind: 'update' }>): void {
    const handler = this.#handlers.get(`update ${name}`);
    const reject = (error: unknown) => this.updates.push({ id, rejected: true, failure: toFailure(error) });
    if (handler === undefined) {
      reject(ApplicationFailure.nonRetryable(`no handler for ${name}`));
      return;
    }
    try {
      handler.validator?.(...(JSON.parse(args) as unknown[]));
    } catch (error) {
      reject(error);
      return;
    }
    void this.#handle(handler, args, (settled) => this.updates.push({ id, rejected: false, ...settled }));
  }

  async #handle(
    { run }: Handler,
    args: string,
    then: (settled: { result: string } | { failure: Failure }) => void,
  ): Promise<void> {
    this.runningHandlers += 1;
    try {
      then({ result: toPayload(await run(...(JSON.parse(args) as unknown[]))) });
    } catch (error) {
      if (error instanceof TemporalFailure) then({ failure: toFailure(error) });
      else this.#defect ??= error;
    } finally {
      this.runningHandlers -= 1;
    }
  }
}

function createRootScope(): CancelScope & { cancel(): void } {
  let reject: (reason: unknown) => void = () => undefined;
  const cancelRequested = new Promise<never>((_, no) => {
    reject = no;
  });
  cancelRequested.catch(() => undefined);
  const scope = {
    cancelRequested,
    consideredCancelled: false,
    cancel() {
      scope.consideredCancelled = true;
      reject(new CancelledFailure('Workflow cancelled'));
    },
  };
  return scope;
}

/** What the SDK's failure converter keeps. */
export function toFailure(error: unknown): Failure {
  const plain = { type: '', nonRetryable: false, nextRetryMs: null };
  if (error instanceof CancelledFailure) return { ...plain, kind: 'cancelled', message: error.message };
  if (error instanceof ActivityFailure) return toFailure(error.cause);
  if (error instanceof ApplicationFailure) {
    const { message, type, nonRetryable, nextRetryDelay } = error;
    return {
      kind: 'application',
      message,
      type: type ?? '',
      nonRetryable: nonRetryable === true,
      nextRetryMs: nextRetryDelay === undefined || nextRetryDelay === null ? null : toDelay(nextRetryDelay),
    };
  }
  const { name, message } = error as Error;
  return { ...plain, kind: 'application', message, type: name };
}

function toDelay(delay: string | number): number {
  if (typeof delay === 'number') return delay;
  const minutes = /^(\d+) minutes$/.exec(delay);
  if (minutes === null) throw new TypeError(`the stand-in does not read the delay "${delay}"`);
  return Number(minutes[1]) * 60_000;
}

function toCause({ kind, message, type, nonRetryable }: Failure): Error {
  if (kind === 'cancelled') return new CancelledFailure(message);
  // Nobody asks which of the timeouts it was.
  if (kind === 'timeout') return new TimeoutFailure(message, undefined, TimeoutType.SCHEDULE_TO_CLOSE);
  return ApplicationFailure.create({ message, type, nonRetryable });
}

function toActivityError(type: string, failure: Failure): Error {
  const cause = toCause(failure);
  return new ActivityFailure(
    'Activity task failed',
    type,
    undefined,
    RetryState.NON_RETRYABLE_FAILURE,
    undefined,
    cause,
  );
}
