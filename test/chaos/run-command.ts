import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TRIES = 20;
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Runs a command of `courier` until it succeeds, because the network fails it sometimes. Returns a breach when it never does. */
export async function runCommand(folder: string, ...command: string[]): Promise<string[]> {
  let last = '';
  for (let tries = 0; tries < TRIES; tries++) {
    const args = [MAIN, ...command, '--config', join(folder, 'courier.yaml'), '--json'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    last = '';
    child.stderr.on('data', (chunk: Buffer) => {
      last += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) return [];
  }
  return [`courier ${command.join(' ')} did not succeed in ${TRIES} tries: ${last.slice(-400)}`];
}
