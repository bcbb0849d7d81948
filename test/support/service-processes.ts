import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SERVICE_OUTPUT } from '../../service/cli/records.ts';
import { checkRecords } from './check-records.ts';
import { AMPLE } from './service.ts';

const main = fileURLToPath(new URL('../../service/cli/main.ts', import.meta.url));

/** The service as a process of its own, on a free port; resolves once it answers. */
export async function serveProcess(
  database: string,
  config: string,
): Promise<{ child: ChildProcess; baseUrl: string }> {
  const child = spawn(
    process.execPath,
    [main, 'serve', '--json', '--port', '0', '--database', database, '--config', config, '--log-level', 'fatal'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return { child, baseUrl: (JSON.parse(line) as { base_url: string }).base_url };
}

export interface Ran {
  readonly code: number | null;
  readonly records: Record<string, unknown>[];
  readonly stderr: string;
}

/**
 * Runs a command of courier-service with --json. Never synchronously: a test's own service lives in its process, and one that
 * cannot run closes connections that its client is about to use again.
 */
export async function runService(...args: string[]): Promise<Ran> {
  const { code, stdout, stderr } = await runProcess([main, ...args, '--json']);
  const records = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  checkRecords(SERVICE_OUTPUT, args, records);
  return { code, records, stderr };
}

/** Runs a command of courier-service, and returns what it prints. */
export const printService = async (...args: string[]): Promise<string> => (await runProcess([main, ...args])).stdout;

async function runProcess(args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

/** A configuration file whose budgets no test reaches. */
export function ampleConfig(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-kill-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const budgets = Object.fromEntries(
    Object.entries(AMPLE).map(([name, { limit, windowMs }]) => [name, { limit, window_ms: windowMs }]),
  );
  writeFileSync(join(folder, 'service.yaml'), JSON.stringify({ budgets }));
  return join(folder, 'service.yaml');
}
