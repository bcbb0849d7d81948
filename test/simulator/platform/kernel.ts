import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { seeded } from '../../support/seeded.ts';

/** The real ones, taken before `installPlatform` replaces them. */
const realSetImmediate = setImmediate;

/** A virtual process. What it does after its death has no effect: timers, storage, network and Temporal ask here. */
export interface Host {
  readonly name: string;
  /** The host whose clock it has; absent: its own. */
  readonly clockOf?: string;
  alive: boolean;
  /** Its periodic work is played this often at most, so that a quiet day costs little. */
  readonly repeatMs?: number;
  /** Calls to a database or the network until it dies; null: it lives on. */
  fuse?: number | null;
  readonly die?: () => void;
}

/** A call to a database or the network begins or ends: the moments at which the death of a host matters. */
export function burnFuse(host: Host): void {
  if (host.fuse == null) return;
  host.fuse -= 1;
  if (host.fuse > 0) return;
  host.fuse = null;
  host.die?.();
}

const HASHED_AT_ONCE = 16_384;

class Event {
  readonly at: number;
  readonly order: number;
  readonly host: Host | null;
  readonly run: () => void | Promise<void>;
  cancelled = false;

  constructor(at: number, order: number, host: Host | null, run: () => void | Promise<void>) {
    this.at = at;
    this.order = order;
    this.host = host;
    this.run = run;
  }

  cancel(): void {
    this.cancelled = true;
  }
}

const hosts = new AsyncLocalStorage<Host>();

/** The host whose code is running. */
export const getHost = (): Host | null => hosts.getStore() ?? null;
const outside = AsyncLocalStorage.snapshot();
type Run = <T>(work: () => T) => T;
const contexts = new WeakMap<Host, Run>();

/** Runs `work` as the host's, in a context that has nothing else: each host needs one alone, and many calls run in it. */
export function runOn<T>(host: Host, work: () => T): T {
  const run = contexts.get(host) ?? outside(() => hosts.run(host, () => AsyncLocalStorage.snapshot() as Run));
  contexts.set(host, run);
  return run(work);
}

/** A promise that no dead host sees settle. */
export function fence<T>(host: Host, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(
      (value) => host.alive && resolve(value),
      (error: unknown) => host.alive && reject(error),
    );
  });
}

/** What the clocks showed until a jump. */
interface ClockSpan {
  readonly until: number;
  readonly epoch: number;
  readonly offsets: ReadonlyMap<string, number>;
}

const getClockName = (): string => getHost()?.clockOf ?? getHost()?.name ?? '';
const getOffset = (offsets: ReadonlyMap<string, number>, host: string): number => offsets.get(host) ?? 0;
const getMost = (offsets: ReadonlyMap<string, number>): number => Math.max(0, ...offsets.values());

/** The clock, the scheduler and the randomness of one simulation. Time passes from one event to the next, or by `pass`. */
export class Kernel {
  readonly random: () => number;
  /** Milliseconds since the simulation began. Never goes back. */
  elapsed = 0;
  #epoch: number;
  #offsets: ReadonlyMap<string, number> = new Map();
  readonly #jumps: ClockSpan[] = [];
  events = 0;
  readonly #bytes: () => number;
  readonly #heap: Event[] = [];
  readonly #trace = createHash('sha256');
  readonly #onTrace: ((line: string) => void) | null;
  #unhashed = '';
  #order = 0;

  constructor(seed: number, epoch: number, onTrace: ((line: string) => void) | null = null) {
    this.random = seeded(seed);
    this.#bytes = seeded(seed ^ 0x5eed);
    this.#epoch = epoch;
    this.#onTrace = onTrace;
  }

  /** What the clocks of all hosts show at the beginning; changed by a clock that jumps. */
  get epoch(): number {
    return this.#epoch;
  }

  set epoch(epoch: number) {
    this.#jumps.push(this.#getSpan());
    this.#epoch = epoch;
    this.#noteBehind();
  }

  now(): number {
    return Math.floor(this.#epoch + this.elapsed);
  }

  /** What the clock of the host shows whose code is running. */
  getClock(): number {
    return this.now() + getOffset(this.#offsets, getClockName());
  }

  /** The clock of a host is ahead of the others from now on, or behind them: until it is set again, also where its host starts again. */
  setOffset(host: string, ms: number): void {
    this.#jumps.push(this.#getSpan());
    this.#offsets = new Map([...this.#offsets, [host, ms]]);
    this.#noteBehind();
  }

  #getSpan(): ClockSpan {
    return { until: this.elapsed, epoch: this.#epoch, offsets: this.#offsets };
  }

  /** Whether the clock of a host was ever wrong, or set again. */
  hadOffset(host: string): boolean {
    return this.#offsets.has(host);
  }

  /** How far the clock of any host ever was behind the latest time that one had shown. */
  mostBehindMs = 0;

  #noteBehind(): void {
    const least = Math.min(0, ...this.#offsets.values());
    this.mostBehindMs = Math.max(this.mostBehindMs, this.getLatestTime(0) - this.now() - least);
  }

  /**
   * The latest time that the clocks showed so many milliseconds ago or before. What has a later stamp is younger, also where
   * the clocks were set back since. A jump forward counts as time that has passed.
   */
  getLatestTime(agoMs: number): number {
    const until = this.elapsed - agoMs;
    const shown = [...this.#jumps, this.#getSpan()].map(
      (clocks) => clocks.epoch + getMost(clocks.offsets) + Math.min(clocks.until, until),
    );
    return Math.floor(Math.max(...shown));
  }

  /** The earliest time that the clock of the host whose code is running has shown since so many milliseconds ago. */
  getEarliestTime(agoMs: number): number {
    const since = this.elapsed - agoMs;
    const name = getClockName();
    const shown = [...this.#jumps.filter(({ until }) => until > since), this.#getSpan()].map(
      ({ epoch, offsets }) => epoch + getOffset(offsets, name) + since,
    );
    return Math.floor(Math.min(...shown));
  }

  /** The latest time that any clock has shown in the last so many milliseconds. */
  getHighestTime(agoMs: number): number {
    const spans = [...this.#jumps.filter(({ until }) => until > this.elapsed - agoMs), this.#getSpan()];
    return Math.floor(Math.max(...spans.map(({ until, epoch, offsets }) => epoch + getMost(offsets) + until)));
  }

  /** What the clocks show now that are behind all others, and ahead of them. */
  getClocks(): { readonly slowest: number; readonly fastest: number } {
    const offsets = [0, ...this.#offsets.values()];
    return { slowest: this.now() + Math.min(...offsets), fastest: this.now() + Math.max(...offsets) };
  }

  /** How long ago the clock of a host, which may have been set since, first showed this time or a later one; 0: never. */
  getTimeSince(time: number, host: string): number {
    let since = 0;
    for (const { until, epoch, offsets } of [...this.#jumps, this.#getSpan()]) {
      since = Math.max(since, time - epoch - getOffset(offsets, host));
      if (since <= until) return this.elapsed - since;
      since = until;
    }
    return 0;
  }

  /** Runs `run` on `host` after `delayMs`, unless the host is dead by then. */
  schedule(delayMs: number, host: Host | null, run: () => void | Promise<void>): { cancel(): void } {
    const event = new Event(this.elapsed + Math.max(0, delayMs), this.#order++, host, run);
    push(this.#heap, event);
    return event;
  }

  /** So much time passes at once: what would have happened meanwhile comes late. */
  pass(ms: number): void {
    this.elapsed += ms;
  }

  sleep(ms: number, host = getHost()): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, host, resolve));
  }

  /** Plays events until `isDone`, or until the virtual time is up. Returns whether it is done. */
  play(isDone: () => boolean, forMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const until = this.elapsed + forMs;
    return new Promise((resolve, reject) => {
      const go = () => {
        try {
          for (;;) {
            if (isDone()) return resolve(true);
            const next = this.#heap[0];
            if (next === undefined || next.at > until) {
              if (Number.isFinite(until)) this.elapsed = Math.max(this.elapsed, until);
              return resolve(false);
            }
            const running = this.#playEvent(next);
            runTicks();
            if (running !== undefined) {
              running.then(() => realSetImmediate(go), reject);
              return;
            }
          }
        } catch (error) {
          reject(error);
        }
      };
      realSetImmediate(go);
    });
  }

  #playEvent(event: Event): void | Promise<void> {
    pop(this.#heap);
    if (event.cancelled || event.host?.alive === false) return;
    this.elapsed = Math.max(this.elapsed, event.at);
    this.events += 1;
    return event.host === null ? event.run() : runOn(event.host, event.run);
  }

  /** Bytes that are random to everyone but the seed. */
  bytes(size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    for (let n = 0; n < size; n++) bytes[n] = Math.floor(this.#bytes() * 256);
    return bytes;
  }

  /** Writes a line of the trace; the digest of all lines shows that two runs were the same. */
  trace(line: string): void {
    const text = `${(this.elapsed / 1000).toFixed(3)} ${line}`;
    this.#unhashed += `${text}\n`;
    if (this.#unhashed.length > HASHED_AT_ONCE) this.#hash();
    this.#onTrace?.(text);
  }

  #hash(): void {
    this.#trace.update(this.#unhashed);
    this.#unhashed = '';
  }

  digest(): string {
    this.#hash();
    return this.#trace.copy().digest('hex');
  }
}

const runTicks: () => void = (process as unknown as { _tickCallback(): void })._tickCallback.bind(process);

/**
 * Runs every tick and microtask now, until nothing runs without a virtual event; for callers that are neither, as events
 * are. What would need the real operating system must not be used by the code under simulation.
 */
export function drain(): void {
  const host = hosts.getStore();
  runTicks();
  // A microtask leaves no context behind.
  if (host !== undefined) hosts.enterWith(host);
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

let current: Kernel | null = null;

/** The simulation whose clock the platform shows; `null` gives a process that simulates nothing now. */
export function setKernel(kernel: Kernel | null): void {
  current = kernel;
}

export function getKernel(): Kernel {
  if (current === null) throw new Error('nothing is simulated now, and the platform has no clock of its own');
  return current;
}

export const hasKernel = (): boolean => current !== null;
