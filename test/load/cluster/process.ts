import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface ProcessToStart {
  /** Its file, absolute. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The type of the record that it prints when it works. */
  readonly ready: string;
  readonly onErrorLine?: (line: string) => void;
}

export interface Started {
  readonly child: ChildProcess;
  readonly record: Record<string, unknown>;
}

/** Starts one of our programs in a process group of its own. Resolves with its ready record, rejects when it ends before. */
export function startProcess({ file, args = [], env = {}, ready, onErrorLine }: ProcessToStart): Promise<Started> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return new Promise((resolve, reject) => {
    const errors: string[] = [];
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (errors.push(line) > 20) errors.shift();
      onErrorLine?.(line);
    });
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const record = JSON.parse(line) as Record<string, unknown>;
      if (record.type === ready) resolve({ child, record });
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`${file} ended with ${signal ?? `code ${code}`} before it was ready:\n${errors.join('\n')}`)),
    );
  });
}
