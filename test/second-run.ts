/** What one `node --test` found: its exit code, and the files with a failed test, relative to the tree. */
export interface Outcome {
  readonly code: number;
  readonly failed: readonly string[];
}

/**
 * In a whole run, tests share processors, servers and a browser with each other: so many files may fail once and are run
 * again, alone. What fails alone has failed.
 */
export const SECOND_RUNS = 3;

/** The exit code of a whole run in which a file passed only alone: not 1, which says that a test fails. */
export const PASSED_ALONE = 75;

export interface TwoRuns {
  /** Of the whole. */
  readonly code: number;
  /** Files that failed beside others, and passed alone. */
  readonly passedAlone: readonly string[];
}

/** Runs the files that failed again, where there are few; `again` runs them alone. */
export async function runAgain(
  first: Outcome,
  again: (files: readonly string[]) => Promise<Outcome>,
): Promise<TwoRuns> {
  const { code, failed } = first;
  if (code === 0 || failed.length === 0 || failed.length > SECOND_RUNS) return { code, passedAlone: [] };
  const second = await again(failed);
  if (second.code !== 0) return { code: second.code, passedAlone: [] };
  return { code: PASSED_ALONE, passedAlone: failed };
}
