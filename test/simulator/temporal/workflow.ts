import type { ActivityOptions as SdkActivityOptions } from '@temporalio/common';
import { ActivityFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityOptions } from './history.ts';
import { addCommand, type CancelScope, ContinuedAsNew, getContext, inContext } from './instance.ts';

/*
 * Stands in for @temporalio/workflow: the parts that our workflows use, with the SDK's behaviour. The conformance suite
 * holds them against the SDK and a real server.
 */

export { ApplicationFailure } from '@temporalio/common';

export const defineSignal = (name: string) => ({ type: 'signal', name }) as const;
export const defineUpdate = (name: string) => ({ type: 'update', name }) as const;
export const defineQuery = (name: string) => ({ type: 'query', name }) as const;

interface HandlerOptions {
  readonly validator?: (...args: unknown[]) => void;
}

export function setHandler(
  { type, name }: { readonly type: string; readonly name: string },
  handler: (...args: never[]) => unknown,
  { validator }: HandlerOptions = {},
): void {
  const { instance } = getContext();
  instance.setHandler(type, name, {
    run: handler as (...args: unknown[]) => unknown,
    ...(validator === undefined ? {} : { validator }),
  });
}

export const allHandlersFinished = (): boolean => getContext().instance.runningHandlers === 0;

export function workflowInfo() {
  const { instance } = getContext();
  const { workflowId, runId, type, taskQueue } = instance;
  return {
    workflowId,
    runId,
    workflowType: type,
    taskQueue,
    continueAsNewSuggested: instance.continueAsNewSuggested,
  };
}

/** Worker Versioning is not simulated. */
export function setWorkflowOptions(): void {}

export function upsertSearchAttributes(pairs: readonly { key: { name: string }; value: unknown }[]): void {
  const values = Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]));
  addCommand(getContext().instance, { kind: 'attributes', values: JSON.stringify(values) });
}

export function setCurrentDetails(details: string): void {
  getContext().instance.details = details;
}

export async function continueAsNew(...args: unknown[]): Promise<never> {
  throw new ContinuedAsNew(args);
}

/** Whether an error means that a scope was cancelled. */
export function isCancellation(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof ActivityFailure && isCancellation(error.cause));
}

export class CancellationScope implements CancelScope {
  readonly cancelRequested: Promise<never>;
  readonly parent: CancelScope;
  #cancelled = false;
  #reject: (reason: unknown) => void = () => undefined;

  constructor() {
    this.parent = getContext().scope;
    this.cancelRequested = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    this.cancelRequested.catch(() => undefined);
    this.parent.cancelRequested.catch((error: unknown) => this.#request(error));
  }

  get consideredCancelled(): boolean {
    return this.#cancelled;
  }

  #request(error: unknown): void {
    this.#cancelled = true;
    this.#reject(error);
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return inContext(getContext().instance, this, work);
  }

  cancel(): void {
    this.#request(new CancelledFailure('Cancellation scope cancelled'));
  }

  static current(): CancelScope {
    return getContext().scope;
  }

  static cancellable<T>(work: () => Promise<T>): Promise<T> {
    return new CancellationScope().run(work);
  }
}

interface TimerOptions {
  readonly summary?: string;
}

export function sleep(ms: number, { summary = '' }: TimerOptions = {}): Promise<void> {
  const { instance, scope } = getContext();
  return new Promise((resolve, reject) => {
    if (scope.consideredCancelled) {
      scope.cancelRequested.catch(reject);
      return;
    }
    const seq = instance.nextSeq();
    addCommand(instance, { kind: 'timer', seq, ms: Math.max(1, ms), at: instance.now(), summary });
    instance.timers.set(seq, resolve);
    scope.cancelRequested.catch((error: unknown) => {
      if (!instance.timers.delete(seq)) return;
      addCommand(instance, { kind: 'cancel-timer', seq });
      reject(error);
    });
  });
}

export function condition(
  test: () => boolean,
  timeoutMs?: number,
  options?: TimerOptions,
): Promise<boolean | undefined> {
  if (timeoutMs === undefined) return until(test).then(() => undefined);
  return CancellationScope.cancellable(async () => {
    try {
      return await Promise.race([sleep(timeoutMs, options).then(() => false), until(test).then(() => true)]);
    } finally {
      (CancellationScope.current() as CancellationScope).cancel();
    }
  });
}

function until(test: () => boolean): Promise<void> {
  const { instance, scope } = getContext();
  return new Promise((resolve, reject) => {
    if (scope.consideredCancelled) {
      scope.cancelRequested.catch(reject);
      return;
    }
    if (test()) {
      resolve();
      return;
    }
    const blocked = { test, resolve };
    instance.conditions.add(blocked);
    scope.cancelRequested.catch((error: unknown) => {
      instance.conditions.delete(blocked);
      reject(error);
    });
  });
}

type Activity = ((...args: unknown[]) => Promise<unknown>) & {
  executeWithOptions(options: SdkActivityOptions, args: unknown[]): Promise<unknown>;
};

export function proxyActivities(options: SdkActivityOptions): Record<string, Activity> {
  const defaults = toActivityOptions(options);
  return new Proxy({} as Record<string, Activity>, {
    get(_, type) {
      const call = (...args: unknown[]) => schedule(String(type), args, defaults);
      return Object.assign(call, {
        executeWithOptions: (_own: SdkActivityOptions, args: unknown[]) => schedule(String(type), args, defaults),
      });
    },
  });
}

function schedule(type: string, args: readonly unknown[], options: ActivityOptions): Promise<unknown> {
  const { instance, scope } = getContext();
  return new Promise((resolve, reject) => {
    if (scope.consideredCancelled) {
      scope.cancelRequested.catch(reject);
      return;
    }
    const seq = instance.nextSeq();
    scope.cancelRequested.catch(() => {
      if (instance.activities.has(seq)) addCommand(instance, { kind: 'cancel-activity', seq });
    });
    addCommand(instance, {
      kind: 'activity',
      seq,
      type,
      args: JSON.stringify(args),
      options,
      at: instance.now(),
    });
    instance.activities.set(seq, { resolve, reject });
  });
}

/** The defaults are those of the SDK and the server. */
function toActivityOptions(given: SdkActivityOptions): ActivityOptions {
  const {
    taskQueue = null,
    priority,
    startToCloseTimeout,
    scheduleToCloseTimeout,
    heartbeatTimeout,
    retry = {},
  } = given;
  const initialMs = toMs(retry.initialInterval ?? 1_000);
  return {
    taskQueue,
    priorityKey: priority?.priorityKey,
    startToCloseMs: toMs(startToCloseTimeout ?? scheduleToCloseTimeout ?? 0),
    scheduleToCloseMs: scheduleToCloseTimeout === undefined ? null : toMs(scheduleToCloseTimeout),
    heartbeatMs: heartbeatTimeout === undefined ? null : toMs(heartbeatTimeout),
    initialMs,
    coefficient: retry.backoffCoefficient ?? 2,
    maximumMs: toMs(retry.maximumInterval ?? initialMs * 100),
    attempts: retry.maximumAttempts ?? Number.POSITIVE_INFINITY,
  };
}

const UNITS: Readonly<Record<string, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const durations = new Map<string, number>();

export function toMs(duration: string | number): number {
  if (typeof duration === 'number') return duration;
  const known = durations.get(duration) ?? readDuration(duration);
  durations.set(duration, known);
  return known;
}

function readDuration(duration: string): number {
  const [, count, unit] = /^(\d+) (second|minute|hour|day)s?$/.exec(duration) ?? [];
  if (unit === undefined) throw new TypeError(`the stand-in does not read the duration "${duration}"`);
  return Number(count) * UNITS[unit]!;
}
