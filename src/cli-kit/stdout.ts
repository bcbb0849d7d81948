import { EXIT } from './exit-codes.ts';

/**
 * Handles a stdout that cannot be written: its reader went away (`| head`) or the disk is full. The command continues,
 * because what it does must not depend on who reads it; it ends with 3 instead of 0, because its output is incomplete.
 */
export function guardStdout(): void {
  let isBroken = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isBroken) return;
    isBroken = true;
    const why = error.code === 'EPIPE' ? 'its reader closed it' : error.message;
    process.stderr.write(`The output is incomplete: ${why}.\n`);
  });
  // Nobody is left to read a message about it.
  process.stderr.on('error', () => undefined);
  process.on('exit', (code) => {
    if (isBroken && code === EXIT.done) process.exitCode = EXIT.partial;
  });
}

/**
 * Writes to stdout, and waits while its reader is slower than the program: memory stays bounded. Calls `onWritten` once the
 * text is no longer needed.
 */
export function writeOut(text: string | Uint8Array, onWritten?: () => void): Promise<void> | undefined {
  if (text.length === 0 || process.stdout.write(text, onWritten)) return undefined;
  return new Promise((resolve) => {
    const settle = () => {
      process.stdout.off('drain', settle).off('error', settle);
      resolve();
    };
    process.stdout.on('drain', settle).on('error', settle);
  });
}
