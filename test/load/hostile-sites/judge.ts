/** A run of a watch, with the times of the ledger in milliseconds. */
export interface RunTimes {
  readonly startedAt: number;
  /** Null while it is active. */
  readonly endedAt: number | null;
  readonly end: string | null;
}

export interface Sample {
  /** Milliseconds since the worker was ready. */
  readonly at: number;
  readonly rssMb: number;
}

const MINUTE = 60_000;

/** For each whole minute between two instants, how long after its beginning the run of that minute had ended; null: none had. */
export function listLateness(runs: readonly RunTimes[], from: number, to: number): (number | null)[] {
  const lateness: (number | null)[] = [];
  for (let minute = Math.ceil(from / MINUTE) * MINUTE; minute + MINUTE <= to; minute += MINUTE) {
    const run = runs.find(({ startedAt }) => startedAt >= minute && startedAt < minute + MINUTE);
    lateness.push(run?.endedAt == null || run.end !== 'finished' ? null : run.endedAt - minute);
  }
  return lateness;
}

export interface Growth {
  readonly first: number;
  readonly last: number;
  readonly peak: number;
  readonly isFlat: boolean;
}

/** Mean of the second and of the last quarter of the samples: in the first quarter the process still loads its code. */
export function computeGrowth(samples: readonly Sample[]): Growth {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const mean = (some: readonly Sample[]) => Math.round(some.reduce((sum, { rssMb }) => sum + rssMb, 0) / some.length);
  const first = mean(samples.slice(quarter, 2 * quarter));
  const last = mean(samples.slice(-quarter));
  const peak = Math.round(Math.max(...samples.map(({ rssMb }) => rssMb)));
  return { first, last, peak, isFlat: last <= first * 1.25 + 50 };
}
