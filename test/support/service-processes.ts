import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

/** Runs a command of courier-service with --json. */
export function runService(...args: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args, '--json'], { encoding: 'utf8' });
  const records = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  checkRecords(SERVICE_OUTPUT, args, records);
  return { code: status, records, stderr };
}

/** Runs a command of courier-service, and returns what it prints. */
export const printService = (...args: string[]): string =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' }).stdout;

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
