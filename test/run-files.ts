import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './second-run.ts';
import { ROOT } from './suites.ts';

const REPORTERS = [
  ['spec', 'stdout'],
  [fileURLToPath(new URL('failed-files.ts', import.meta.url)), null],
] as const;

/**
 * Runs test files with Node's runner, which prints to the terminal.
 *
 * @param limits flags of `node --test`
 * @param variables what the tests find in their environment, besides that of this process
 */
export async function runFiles(
  files: readonly string[],
  limits: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-outcome-'));
  const list = join(folder, 'failed');
  const reporters = REPORTERS.flatMap(([reporter, destination]) => [
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${destination ?? list}`,
  ]);
  const tests = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--test', ...reporters, ...limits, ...files],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...variables } },
  );
  const forward = (signal: NodeJS.Signals): void => void tests.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  try {
    const [code] = (await once(tests, 'exit')) as [number | null];
    const failed = code === 0 ? [] : readFileSync(list, 'utf8').split('\n').filter(Boolean);
    return { code: code ?? 1, failed };
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward);
    rmSync(folder, { recursive: true, force: true });
  }
}
