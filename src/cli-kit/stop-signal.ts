import { CommandError, EXIT } from './exit-codes.ts';

/** Aborted by the first SIGINT or SIGTERM, with a message and its exit code; a second one ends the process. */
export function stopSignal(meaning: string): AbortSignal {
  const stop = new AbortController();
  const on = (signal: 'SIGINT' | 'SIGTERM', code: typeof EXIT.interrupted | typeof EXIT.terminated) =>
    process.once(signal, () => stop.abort(new CommandError(code, `Stopped by ${signal}. ${meaning}`)));
  on('SIGINT', EXIT.interrupted);
  on('SIGTERM', EXIT.terminated);
  return stop.signal;
}
