import type { Window } from '../../settings.ts';

/** Up to this limit the time of each request is kept; above it, requests are counted in buckets. */
const MAX_EXACT = 1_000;
/** Buckets of a large window: 15 seconds of an hour, 6 minutes of a day. */
const BUCKETS = 240;

/**
 * A sliding window. A client that sends at most `limit` requests in any stretch of `windowMs` is never refused. Small
 * limits are exact: never more than `limit` in any `windowMs`. Large ones count in buckets and let a bucket go with
 * its oldest request, so never more than `limit` in any `windowMs` less one bucket. Pure but for its own state; the
 * time is handed in.
 */
export class SlidingWindow {
  readonly limit: number;
  readonly windowMs: number;
  readonly #grainMs: number;
  /** Start and count of each bucket, oldest at #head. */
  #starts: number[] = [];
  #counts: number[] = [];
  #head = 0;
  #total = 0;

  constructor({ limit, windowMs }: Window) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.#grainMs = limit <= MAX_EXACT ? 1 : Math.max(1, Math.floor(windowMs / BUCKETS));
  }

  get remaining(): number {
    return Math.max(0, this.limit - this.#total);
  }

  /** Drops the requests that have left the window. */
  advance(now: number): void {
    while (this.#head < this.#starts.length && this.#leavesAt(this.#head) <= now) {
      this.#total -= this.#counts[this.#head] ?? 0;
      this.#head++;
    }
    if (this.#head > 256 && this.#head * 2 > this.#starts.length) {
      this.#starts = this.#starts.slice(this.#head);
      this.#counts = this.#counts.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Counts one request. Call advance() before, with the same time. */
  add(now: number): void {
    const start = now - (now % this.#grainMs);
    const last = this.#starts.length - 1;
    if (last >= this.#head && (this.#starts[last] ?? 0) >= start) this.#counts[last] = (this.#counts[last] ?? 0) + 1;
    else {
      this.#starts.push(start);
      this.#counts.push(1);
    }
    this.#total++;
  }

  /** When one more request fits, in epoch milliseconds: now when it does already. Call advance() before. */
  opensAt(now: number): number {
    let total = this.#total;
    if (total < this.limit) return now;
    for (let index = this.#head; index < this.#starts.length; index++) {
      total -= this.#counts[index] ?? 0;
      if (total < this.limit) return this.#leavesAt(index);
    }
    return now + this.windowMs;
  }

  /** When the oldest request leaves and the budget grows: now when nothing is counted. */
  growsAt(now: number): number {
    return this.#head < this.#starts.length ? this.#leavesAt(this.#head) : now;
  }

  /** The newest time that was counted. */
  get newest(): number {
    return this.#starts.at(-1) ?? 0;
  }

  /** Shifts every counted time after a correction of the clock: the distances between requests stay. */
  shift(byMs: number): void {
    this.#starts = this.#starts.map((start) => start + byMs);
  }

  save(): [number, number][] {
    return this.#starts.slice(this.#head).map((start, index) => [start, this.#counts[this.#head + index] ?? 0]);
  }

  load(saved: readonly (readonly [number, number])[]): void {
    this.#starts = saved.map(([start]) => start);
    this.#counts = saved.map(([, count]) => count);
    this.#head = 0;
    this.#total = this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #leavesAt(index: number): number {
    return (this.#starts[index] ?? 0) + this.windowMs;
  }
}
