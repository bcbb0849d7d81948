import { setImmediate } from 'node:timers/promises';

/** About 5 milliseconds of checking URLs. */
const CHARACTERS_PER_TURN = 512 * 1024;

/**
 * Lets waiting requests go first. Checking a large submission and writing it each take some milliseconds of the one
 * thread: this keeps them from being one long block.
 */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

/** Counts work on texts and yields when a turn of the event loop has had enough of it. */
export class Turns {
  #spent = 0;

  /** Returns a promise only where there is something to wait for: call it for each text and await what it returns. */
  spend(characters: number): Promise<void> | undefined {
    this.#spent += characters;
    if (this.#spent < CHARACTERS_PER_TURN) return undefined;
    this.#spent = 0;
    return yieldToEventLoop();
  }
}
