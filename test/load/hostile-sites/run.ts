import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseTry } from '../../../contract/money.ts';
import { startService } from '../../../service/serve.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { listRuns } from '../../../src/ledger/reports/totals.ts';
import type { WatchId } from '../../../src/submission/ids.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { AMPLE } from '../../support/service.ts';
import { computeGrowth, listLateness, type Sample } from './judge.ts';
import { type Site, startSites } from './sites.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const SAMPLE_EVERY_MS = 5_000;

export interface HostileSites {
  readonly seconds: number;
  /** The most that a run of a good site may end after its minute. */
  readonly lateMs: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints each site's runs, the lateness of the good ones and the memory of the worker. */
export async function runHostileSites(cleanup: Cleanup, { seconds, lateMs }: HostileSites): Promise<{ ok: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-hostile-'));
  cleanup.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const sites = await startSites();
  cleanup.after(() => {
    for (const site of sites) site.close();
  });
  await writeFolder(cleanup, folder, sites);
  const worker = await startWorker(cleanup, folder);
  const from = Date.now();
  const samples = await sampleMemory(worker, seconds * 1_000);
  const isAlive = worker.exitCode === null && worker.signalCode === null;
  const isOnTime = await showRuns(folder, sites, { from, to: Date.now(), lateMs });
  const { first, last, peak, isFlat } = computeGrowth(samples);
  say(`worker: ${first} MB at first, ${last} MB at last, ${peak} MB at most: ${isFlat ? 'flat' : 'GROWS'}`);
  if (!isAlive) say(`THE WORKER ENDED (${worker.exitCode ?? worker.signalCode})`);
  return { ok: isAlive && isOnTime && isFlat };
}

async function writeFolder(cleanup: Cleanup, folder: string, sites: readonly Site[]): Promise<void> {
  const service = await startService({
    database: `sqlite:${join(folder, 'service.db')}`,
    settings: { budgets: AMPLE },
  });
  cleanup.after(() => service.close());
  const [balance, price] = [parseTry('100000'), parseTry('0.25')];
  if (balance === null || price === null) throw new Error('not an amount');
  const { id } = await service.accounts.createAccount({ name: 'hostile sites', balance, price });
  writeFileSync(join(folder, 'key'), (await service.accounts.createKey({ account: id })).apiKey);
  const watches = sites.map(
    ({ name, sitemap }) => `  ${name}: { account: main, sitemaps: ["${sitemap}"], hosts: [${name}.example] }`,
  );
  writeFileSync(
    join(folder, 'courier.yaml'),
    `version: 1
accounts: { main: { base_url: "${service.baseUrl}", api_key: { file: key } } }
defaults: { schedule: { cron: "* * * * *" }, first_run: baseline }
watches:
${watches.map((watch) => watch.replace(/ \}$/, ', allow_private_hosts: [127.0.0.1] }')).join('\n')}
ledger: { url: "sqlite:ledger.db" }
`,
  );
}

async function startWorker(cleanup: Cleanup, folder: string): Promise<ChildProcess> {
  const args = ['--disable-warning=ExperimentalWarning', MAIN, 'worker', '--json'];
  const worker = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  cleanup.after(async () => {
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    worker.kill('SIGTERM');
    const timer = setTimeout(() => worker.kill('SIGKILL'), 60_000);
    await once(worker, 'close');
    clearTimeout(timer);
  });
  for await (const chunk of worker.stdout ?? []) if (String(chunk).includes('"ready"')) break;
  if (worker.exitCode !== null) throw new Error(`the worker did not start (${worker.exitCode})`);
  return worker;
}

async function sampleMemory(worker: ChildProcess, forMs: number): Promise<Sample[]> {
  const startedAt = Date.now();
  const samples: Sample[] = [];
  while (Date.now() < startedAt + forMs && worker.exitCode === null) {
    await sleep(SAMPLE_EVERY_MS);
    const rssMb = readRssMb(worker.pid ?? 0);
    if (rssMb === null) break;
    samples.push({ at: Date.now() - startedAt, rssMb });
    if (samples.length % 12 === 0) say(`${Math.round((Date.now() - startedAt) / 1_000)} s: worker ${rssMb} MB`);
  }
  return samples;
}

/** Null when the process has ended. */
function readRssMb(pid: number): number | null {
  try {
    const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kb === undefined ? null : Math.round(Number(kb) / 1_024);
  } catch {
    return null;
  }
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly lateMs: number;
}

/** Whether each run of a good site was on time. */
async function showRuns(folder: string, sites: readonly Site[], { from, to, lateMs }: Window): Promise<boolean> {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  let isOnTime = true;
  try {
    for (const { name, isGood } of sites) {
      const runs = await listRuns(ledger, name as WatchId, 10_000);
      const ended = runs.filter(({ endedAt }) => endedAt !== null).length;
      const counts = `${name.padEnd(16)} ${runs.length} runs, ${ended} ended`;
      if (!isGood) {
        say(counts);
        continue;
      }
      // Of the last minute the run may still be under way.
      const times = runs.map(({ startedAt, endedAt, endState }) => ({ startedAt, endedAt, end: endState }));
      const lateness = listLateness(times, from, to - lateMs);
      const isGoodOnTime = lateness.length > 0 && lateness.every((late) => late !== null && late <= lateMs);
      const shown = lateness.map((late) => (late === null ? 'MISSING' : `${(late / 1_000).toFixed(1)} s`));
      say(`${counts}; ended after their minute: ${shown.join(', ')}${isGoodOnTime ? '' : ' LATE'}`);
      isOnTime &&= isGoodOnTime;
    }
  } finally {
    await ledger.close();
  }
  return isOnTime;
}
