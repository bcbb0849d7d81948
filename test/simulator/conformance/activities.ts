import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';

const getAttempt = (): number => Context.current().info.attempt;

/** Longer than any timeout of the cases; ends with its worker, which cancels it. */
const silence = (): Promise<unknown> =>
  sleep(60_000, undefined, { signal: Context.current().cancellationSignal, ref: false }).catch(() => undefined);

/** What the workflows of the cases call. */
export const activities = {
  async failUntil(attempt: number): Promise<string> {
    if (getAttempt() < attempt) throw ApplicationFailure.create({ message: `attempt ${getAttempt()}`, type: 'Soon' });
    return `attempt ${getAttempt()}`;
  },
  async failForever(): Promise<void> {
    throw ApplicationFailure.nonRetryable(`attempt ${getAttempt()}`, 'Never');
  },
  async askForDelay(): Promise<string> {
    if (getAttempt() > 1) return `attempt ${getAttempt()}`;
    throw ApplicationFailure.create({ message: 'soon', type: 'Soon', nextRetryDelay: 100 });
  },
  /** Its worker seems dead: the server gives it to one again. */
  async stopBeating(): Promise<string> {
    const attempt = getAttempt();
    if (attempt === 1) await silence();
    return `attempt ${attempt}`;
  },
  async takeLong(): Promise<string> {
    const attempt = getAttempt();
    if (attempt === 1) await silence();
    return `attempt ${attempt}`;
  },
  async pass(): Promise<void> {
    await sleep(300);
  },
};
