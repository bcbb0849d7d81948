import { type ChildProcess, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopProcess } from '../../temporal/dev-server.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** TypeScript in a checkout, JavaScript in the package. */
const extension = extname(import.meta.url);

export interface Program {
  /** What the reader knows it as: "worker", "service", "Temporal server". */
  readonly name: string;
  /** Starts it and resolves once it works. Called again when it ends by itself. */
  readonly start: () => Promise<ChildProcess>;
}

export interface Supervised {
  stop(): Promise<void>;
}

const MAX_RESTARTS = 5;

/**
 * Keeps a program running: one that ends by itself is restarted, with a message. After five restarts `gaveUp` is called
 * with the reason.
 */
export async function supervise(
  program: Program,
  say: (line: string) => void,
  gaveUp: (reason: string) => void,
): Promise<Supervised> {
  let stopping = false;
  let restarts = 0;
  let child = await program.start();
  watch();

  function watch(): void {
    child.once('exit', (code, signal) => {
      if (!stopping) void again(signal ?? `code ${code}`);
    });
  }

  async function again(ending: string): Promise<void> {
    if (++restarts > MAX_RESTARTS) {
      gaveUp(`The ${program.name} ended again (${ending}) after ${MAX_RESTARTS} restarts`);
      return;
    }
    say(
      `The ${program.name} ended (${ending}) and is restarted. Nothing is lost: the ledger and Temporal keep the state.`,
    );
    try {
      child = await program.start();
      if (stopping) await stopProcess(child);
      else watch();
    } catch (error) {
      gaveUp(`The ${program.name} cannot be restarted: ${(error as Error).message}`);
    }
  }

  return {
    async stop() {
      stopping = true;
      await stopProcess(child, 15_000);
    },
  };
}

/**
 * Starts one of our own programs (its module, without extension) and resolves with it once it has printed its `ready` record. It ends by itself when
 * this process is gone, because its IPC channel closes.
 */
export function startProgram(
  entry: string,
  args: readonly string[],
  ready: (record: Record<string, unknown>) => boolean,
): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', `${root}${entry}${extension}`, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C reaches the orchestrator alone, which stops its programs in order.
      detached: process.platform !== 'win32',
      env: { ...process.env, NO_COLOR: '1' },
    },
  );
  return new Promise((resolve, reject) => {
    let stderr = '';
    let pending = '';
    let isReady = false;
    child.stdout?.on('data', (chunk: Buffer) => {
      if (isReady) return;
      const lines = (pending + chunk.toString()).split('\n');
      pending = lines.pop() ?? '';
      if (lines.some((line) => ready(asRecord(line)))) {
        isReady = true;
        resolve(child);
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-2_000);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (!isReady)
        reject(new Error(`${entry} ended with ${signal ?? `code ${code}`} before it was ready: ${stderr.trim()}`));
    });
  });
}

function asRecord(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
