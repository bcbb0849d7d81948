import { spawn } from 'node:child_process';
import type { Runner } from './runners.ts';

/** What a runner prints: its own crawl time (imports apart), its peak memory, and a digest of what it found. */
export interface Measured {
  readonly seconds: number;
  /** Of the processor, all threads: steadier than the clock where others use the machine too. */
  readonly cpuSeconds: number;
  /** Of the whole process, in MB of 1,000,000 bytes. */
  readonly rssMb: number;
  readonly urls: number;
  /** SHA-256 of the sorted locs joined by line ends. */
  readonly sha256: string;
}

const TIMEOUT_MS = 180_000;

/** Runs a crawler once; a text that says why not when it failed. */
export async function measure(
  { command, env }: Pick<Runner, 'command' | 'env'>,
  url: string,
): Promise<Measured | string> {
  const [program, ...args] = command;
  const child = spawn(program!, [...args, url], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err = `${err}${chunk}`.slice(-2_000);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  const last = out.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !last.startsWith('{')) return `ended with ${code}: ${err.trim().split('\n').at(-1) ?? ''}`;
  return JSON.parse(last) as Measured;
}

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
