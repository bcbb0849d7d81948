import { setImmediate } from 'node:timers/promises';

/**
 * Lets requests that wait go first. A large submission is some milliseconds of checking and some of SQLite, both in
 * one thread: this keeps them from being one block.
 */
export const letOthersRun = (): Promise<void> => setImmediate();
