import type { ServiceLevel } from '../../contract/states.ts';

/** One URL of a submission, to be processed. */
export interface Item {
  readonly position: number;
  readonly url: string;
}

export interface Outcome {
  readonly position: number;
  readonly status: 'completed' | 'failed';
  /** Why it failed, for the client. */
  readonly reason: string | null;
}

export interface Plan {
  /** How long the submission stays queued before its first step, in milliseconds. */
  readonly queuedMs: number;
  /** How long to wait before each step, in milliseconds. */
  readonly stepMs: number;
}

/** What does something with the URLs. A plug-in: add one in processors.ts. */
export interface Processor {
  readonly name: string;
  plan(service: ServiceLevel): Plan;
  /** Splits a submission into steps; the same URLs always give the same steps. At least one, at most a
   * hundred: a step begins when the one before has ended. */
  split(items: readonly Item[]): readonly (readonly Item[])[];
  /**
   * Carries out a step, of which only undecided items are left, and hands each outcome to `record` as it is known.
   * Throws TryLaterError when it must wait: what was recorded is not done again.
   */
  run(
    items: readonly Item[],
    record: (outcomes: readonly Outcome[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** The step cannot continue now; nothing is lost. */
export class TryLaterError extends Error {
  override readonly name = 'TryLaterError';
  readonly afterMs: number | undefined;

  constructor(message: string, afterMs?: number) {
    super(message);
    this.afterMs = afterMs;
  }
}
