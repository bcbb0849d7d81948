import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLI_OUTPUT } from '../../src/cli/output/records/index.ts';
import { checkRecords } from './check-records.ts';
import { shopUrl } from './ledger.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** What a command said and how it ended. */
export interface CommandRun {
  readonly code: number | null;
  readonly records: Record<string, unknown>[];
  readonly stderr: string;
}

export function folderFor(t: TestContext, config: (folder: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-commands-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'courier.yaml'), config(folder));
  return folder;
}

/** Runs `courier ARGS --json` in a folder to its end. */
export async function courier(folder: string, ...args: string[]): Promise<CommandRun> {
  return ended(startCourier(folder, ...args));
}

export function startCourier(folder: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs commands in a folder, one after the other and in one process: for tests of many of them. */
export function openCommands(t: TestContext, folder: string): (...args: readonly string[]) => Promise<CommandRun> {
  const script = fileURLToPath(new URL('./processes/commands.ts', import.meta.url));
  const child = fork(script, { cwd: folder, execArgv: ['--disable-warning=ExperimentalWarning'] });
  t.after(() => child.kill('SIGKILL'));
  let last: Promise<unknown> = Promise.resolve();
  const run = async (args: readonly string[]): Promise<CommandRun> => {
    child.send([...args, '--json']);
    const [ran] = (await once(child, 'message')) as [{ code: number; stdout: string; stderr: string }];
    return check(args, ran);
  };
  return (...args) => {
    const running = last.then(() => run(args));
    last = running.catch(() => undefined);
    return running;
  };
}

/** Runs `courier ARGS` in a folder to its end, and returns what it prints for people. */
export async function printCourier(folder: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], { cwd: folder });
  return text(child.stdout);
}

/** Waits for a command's end; its records must be those that are published for it. */
export async function ended(child: ChildProcess): Promise<CommandRun> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return check(child.spawnargs.slice(3), { code, stdout, stderr });
}

function check(
  args: readonly string[],
  { code, stdout, stderr }: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
): CommandRun {
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  if (code !== null) checkRecords(CLI_OUTPUT, args, records);
  return { code, records, stderr };
}

export const ofType = ({ records }: CommandRun, type: string) => records.filter((record) => record.type === type);

/** Publishes pages of the shop as the folder's `sitemap.xml`. */
export function publish(folder: string, pages: readonly (string | number)[]): void {
  const entries = pages.map((page) => `<url><loc>${shopUrl(page)}</loc></url>`).join('');
  writeFileSync(
    join(folder, 'sitemap.xml'),
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`,
  );
}
