import { setImmediate } from 'node:timers/promises';

/** About 5 milliseconds of checking URLs. */
const CHARACTERS_PER_TURN = 512 * 1024;

/**
 * Lets waiting requests run first. Validating a large submission and storing it each take some milliseconds of the one
 * thread; this splits them into short blocks.
 */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

/** Counts work on strings and yields when a turn of the event loop has done enough of it. */
export class Turns {
  #spent = 0;

  /** Returns a promise only when it yields: call it for each string and await what it returns. */
  spend(characters: number): Promise<void> | undefined {
    this.#spent += characters;
    if (this.#spent < CHARACTERS_PER_TURN) return undefined;
    this.#spent = 0;
    return yieldToEventLoop();
  }
}
