import { setImmediate as nextTurn } from 'node:timers/promises';

/** About 5 milliseconds of checking URLs. */
const CHARACTERS_PER_TURN = 512 * 1024;

/**
 * Lets waiting requests run first. Validating a large submission and storing it each take some milliseconds of the one
 * thread; this splits them into short blocks.
 */
export const yieldToEventLoop = (): Promise<void> => nextTurn();

const paused: (() => void)[] = [];

/**
 * The same for work that holds no lock: of all that is paused, one goes on in each turn of the event loop, so that
 * twenty large bodies hold a turn no longer than one does.
 */
export function pauseForOthers(): Promise<void> {
  return new Promise((resolve) => {
    paused.push(resolve);
    if (paused.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  const [next] = paused;
  next?.();
  // After it has gone on: whoever pauses meanwhile finds the turns already running.
  setImmediate(() => {
    paused.shift();
    if (paused.length > 0) resumeOne();
  });
}

/** Counts work on strings and yields when a turn of the event loop has done enough of it. */
export class Turns {
  #spent = 0;

  /** Returns a promise only when it yields: call it for each string and await what it returns. */
  spend(characters: number): Promise<void> | undefined {
    this.#spent += characters;
    if (this.#spent < CHARACTERS_PER_TURN) return undefined;
    this.#spent = 0;
    return pauseForOthers();
  }
}
