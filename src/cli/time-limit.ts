import { CommandError, EXIT, UsageError } from '../cli-kit/exit-codes.ts';
import { parseDuration } from '../config/duration.ts';

export const MAX_TIME_OPTION = [
  '--max-time <duration>',
  'end with 5 after this long, whatever is under way; nothing planned is lost',
] as const;

/** What a signal means for a command that works in its own process. */
export const WHEN_STOPPED =
  'Requests in flight are completed. The next run or worker continues with the planned batches.';

/** Aborts with an error (exit code 5) when the time is up: a scheduled command must not outlive its schedule. Empty without a limit. */
export function createTimeLimit(text: string | undefined): AbortSignal[] {
  if (text === undefined) return [];
  const duration = parseDuration(text);
  if (duration === null || duration <= 0) {
    throw new UsageError(`--max-time "${text}" is not a duration. Nothing was run or charged. Write it as 30m or 2h.`);
  }
  const limit = new AbortController();
  const timer = setTimeout(() => {
    const message =
      `Stopped after ${text} (--max-time). Requests in flight are completed; what is planned stays planned, and the next ` +
      'run continues with it.';
    limit.abort(new CommandError(EXIT.transient, message));
  }, duration);
  // The command may end before.
  timer.unref();
  return [limit.signal];
}
