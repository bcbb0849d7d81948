import type { WindowName } from '../../../contract/headers.ts';
import type { Database } from '../../../src/database/database.ts';
import type { BudgetSettings } from '../../settings.ts';
import { SlidingWindow } from './sliding-window.ts';

/** The state of one window after a request. */
export interface BudgetState {
  readonly name: WindowName;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the budget grows again; 0 when nothing of it is used. */
  readonly resetSeconds: number;
}

/** Counts the requests of every key. */
export interface Limiter {
  /** `db` is the database through the fair queue, in the share of the key's account. */
  take(key: string, submission: boolean, db: Database): Promise<Verdict>;
  /** Saves the counts that are only in memory. */
  close(): Promise<void>;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Whole seconds after which the request would be allowed without other requests. */
  readonly retryAfterSeconds: number;
  readonly states: readonly BudgetState[];
}

const GENERAL = ['minute', 'hour', 'day'] as const;
const SUBMISSION = [...GENERAL, 'submissions'] as const;

const CLOCK_TOLERANCE_MS = 1_000;

/** The windows of one key (spec 8). */
export class Budgets {
  readonly #windows: Record<WindowName, SlidingWindow>;
  #latest = 0;

  constructor(settings: BudgetSettings) {
    this.#windows = {
      minute: new SlidingWindow(settings.minute),
      hour: new SlidingWindow(settings.hour),
      day: new SlidingWindow(settings.day),
      submissions: new SlidingWindow(settings.submissions),
    };
  }

  /** Takes one request from every window that counts it, or from none: a denied request costs no budget. */
  take(submission: boolean, clock: number): Verdict {
    const now = this.#correct(clock);
    const names = submission ? SUBMISSION : GENERAL;
    let opensAt = now;
    for (const name of names) {
      this.#windows[name].advance(now);
      opensAt = Math.max(opensAt, this.#windows[name].opensAt(now));
    }
    const allowed = opensAt <= now;
    if (allowed) for (const name of names) this.#windows[name].add(now);
    return {
      allowed,
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((opensAt - now) / 1_000)),
      states: names.map((name) => {
        const window = this.#windows[name];
        return {
          name,
          limit: window.limit,
          windowSeconds: Math.ceil(window.windowMs / 1_000),
          remaining: window.remaining,
          resetSeconds: Math.ceil((window.growsAt(now) - now) / 1_000),
        };
      }),
    };
  }

  /**
   * The time to count with: never earlier than the latest one. A clock that was ahead and is corrected would block the
   * key until it has caught up, so the counted times move back with it: the windows stay as full as they were and empty
   * at the usual speed. A small step back does not move them: repeated small steps would empty the windows early.
   */
  #correct(clock: number): number {
    if (this.#latest - clock > CLOCK_TOLERANCE_MS) {
      for (const name of SUBMISSION) this.#windows[name].shift(clock - this.#latest);
      this.#latest = clock;
    }
    this.#latest = Math.max(clock, this.#latest);
    return this.#latest;
  }

  save(): string {
    return JSON.stringify(Object.fromEntries(SUBMISSION.map((name) => [name, this.#windows[name].save()])));
  }

  /** Restores the result of save(). */
  static load(settings: BudgetSettings, saved: string): Budgets {
    const budgets = new Budgets(settings);
    const windows = JSON.parse(saved) as Record<WindowName, [number, number][]>;
    for (const name of SUBMISSION) {
      budgets.#windows[name].load(windows[name]);
      budgets.#latest = Math.max(budgets.#latest, budgets.#windows[name].newest);
    }
    return budgets;
  }
}
