/*
 * How long a run waits between two looks at the ledger. A look costs Temporal an attempt and Postgres some ten queries, so
 * what all runs together ask is bounded: two hundred runs that look each second keep two cores busy while nothing is sent.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A young run looks each second. */
const LEAST_MS = SECOND;
const YOUNG_MS = 10 * SECOND;
/** After that each wait is at most this part of the time before it: a run ends late by this part at most. */
const GROWTH = 1 / 4;
const MOST_MS = MINUTE;

/** Of all runs that wait, one looks in each interval of this length, in milliseconds. */
const APART_MS = 100;
/** Many runs make none of them wait longer: from 10 s on a wait is a timer, which costs as much as four attempts. */
const MOST_APART_MS = 9 * SECOND;

function computeLeast(ageMs: number, waitingRuns: number): number {
  const grown = LEAST_MS + Math.max(0, ageMs - YOUNG_MS) * GROWTH;
  return Math.min(Math.max(grown, Math.min(waitingRuns * APART_MS, MOST_APART_MS)), MOST_MS);
}

/** A run whose account sends nothing waits this long at least: it will not be accepted in a second. */
const STUCK_MS = MINUTE;
/** Before that its dispatcher may not have read the ledger. */
const SETTLE_MS = 10 * SECOND;
/** A job may take seven days. */
const MOST_SHOWN_MS = 30 * MINUTE;

/**
 * Every look is in the history, so the wait grows with its age, up to half an hour. `ageMs`: how long the run has waited so
 * far. `waitingRuns`: how many runs of the ledger wait, this one included. `isStuck`: its account sends nothing.
 */
export function computeRunWait(ageMs: number, waitingRuns: number, isStuck: boolean): number {
  const least = isStuck && ageMs >= SETTLE_MS ? STUCK_MS : computeLeast(ageMs, waitingRuns);
  return Math.max(least, Math.min(ageMs / 20, MOST_SHOWN_MS));
}
