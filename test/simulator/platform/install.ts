import { AsyncResource } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';
import timersPromises from 'node:timers/promises';
import { getHost, getKernel, hasKernel, Kernel } from './kernel.ts';

/*
 * Gives this process a virtual platform: clock, timers and randomness come from the simulation. Imported before any
 * code under simulation is loaded, because libraries keep what they find at their load.
 */

const RealDate = Date;
const START = Date.UTC(2026, 0, 1);
const now = (): number => (hasKernel() ? getKernel().getClock() : START);

class VirtualDate extends RealDate {
  constructor(value?: unknown, ...more: unknown[]) {
    if (more.length > 0) super(...([value, ...more] as [number]));
    // biome-ignore lint/complexity/noArguments: `new Date(undefined)` is not `new Date()`, and dates are made often.
    else super(arguments.length === 0 ? now() : (value as number));
  }

  static override now(): number {
    return now();
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]';
  }
}

type Callback = (...args: unknown[]) => void;

/** What setTimeout and setInterval return. */
class VirtualTimer {
  readonly #run: () => void;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  readonly #host = getHost();
  #pending: { cancel(): void } | null = null;

  constructor(callback: Callback, delayMs: number, args: unknown[], repeats: boolean) {
    const context = new AsyncResource('VirtualTimer');
    this.#run = () => context.runInAsyncScope(callback, null, ...args);
    const wholeMs = delayMs >= 1 && delayMs <= 2_147_483_647 ? Math.trunc(delayMs) : 1;
    this.#delayMs = repeats ? Math.max(wholeMs, this.#host?.repeatMs ?? 0) : wholeMs;
    this.#repeats = repeats;
    this.#start();
  }

  #start(): void {
    // While modules are loaded nothing is simulated, and no timer of theirs may fire.
    if (!hasKernel()) return;
    this.#pending = getKernel().schedule(this.#delayMs, this.#host, () => {
      this.#pending = null;
      if (this.#repeats) this.#start();
      this.#run();
    });
  }

  refresh(): this {
    this.#pending?.cancel();
    this.#start();
    return this;
  }

  close(): this {
    this.#pending?.cancel();
    this.#pending = null;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class VirtualImmediate {
  #pending: { cancel(): void };

  constructor(callback: Callback, args: unknown[]) {
    const context = new AsyncResource('VirtualImmediate');
    this.#pending = getKernel().schedule(0, getHost(), () => context.runInAsyncScope(callback, null, ...args));
  }

  close(): void {
    this.#pending.cancel();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

const clear = (timer: { close?(): unknown } | null | undefined): void => void timer?.close?.();

function sleep<T>(ms = 1, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError(signal));
      return;
    }
    const stop = () => {
      timer.close();
      reject(abortError(signal!));
    };
    const timer = new VirtualTimer(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      },
      ms,
      [],
      false,
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

const abortError = (signal: AbortSignal): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });

/** While modules are loaded there is no simulation, and what they draw is the same in every process. */
const whileLoading = new Kernel(1, START);
const bytes = (size: number): Buffer => (hasKernel() ? getKernel() : whileLoading).bytes(size);

const uuid = (): string => {
  const hex = bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
};

const randomInt = (low: number, high?: number): number => {
  const [from, to] = high === undefined ? [0, low] : [low, high];
  return from + Number(bytes(6).readUIntBE(0, 6) % (to - from));
};

/**
 * What a program measures of its process. Each start of the service would add real timers and observers that no death of its
 * host ends: a process that plays a thousand seeds has a thousand of them.
 */
class NoMeasurements {
  readonly min = 0;
  readonly max = 0;
  readonly mean = 0;
  readonly stddev = 0;
  readonly percentile = (): number => 0;
  readonly enable = (): boolean => true;
  readonly disable = (): boolean => true;
  readonly reset = (): void => undefined;
  readonly observe = (): void => undefined;
  readonly disconnect = (): void => undefined;
}

function install(): void {
  const setTimer =
    (repeats: boolean) =>
    (callback: Callback, ms = 1, ...args: unknown[]) =>
      new VirtualTimer(callback, ms, args, repeats);
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: setTimer(false),
    setInterval: setTimer(true),
    setImmediate: (callback: Callback, ...args: unknown[]) => new VirtualImmediate(callback, args),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  performance.now = () => (hasKernel() ? getKernel().elapsed : 0);
  Math.random = () => (hasKernel() ? getKernel().bytes(6).readUIntBE(0, 6) / 2 ** 48 : 0.5);
  AbortSignal.timeout = (ms: number) => {
    const controller = new AbortController();
    setTimeout(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
    );
    return controller.signal;
  };
  Object.assign(timersPromises, {
    setTimeout: sleep,
    setImmediate: <T>(value?: T) => new Promise((resolve) => setImmediate(() => resolve(value))),
  });
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid, randomInt });
  Object.assign(perfHooks, {
    monitorEventLoopDelay: () => new NoMeasurements(),
    PerformanceObserver: NoMeasurements,
  });
  syncBuiltinESMExports();
}

install();
