import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { micros } from '../contract/money.ts';
import { startService } from '../service/serve.ts';
import { loadConfig } from '../src/config/load.ts';
import { findWorkers, listMissingDuties } from '../src/connector/find-workers.ts';
import { hasServer } from '../src/connector/state-folder.ts';
import { withTemporal } from '../src/connector/temporal-server.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { listChildren, type ProcessFigures, readProcess } from './idle/process-figures.ts';

// What a worker with the local Temporal server that it keeps costs while nothing is to be done: from its start to its first
// poll of every task queue, then the processor time and memory of both. Processor time, so that other programs count little.
// Linux only. --check: exit code 1 when a goal is missed.

const GOAL = { cpuPercent: 1, rssMb: 350 };
/** Compiling, schedules and the first heartbeats are no idling. */
const SETTLE_MS = 10_000;
const PARTS = 6;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, check: { type: 'boolean', default: false } },
});
const seconds = Number(values.seconds);
if (!(seconds >= PARTS)) throw new RangeError(`--seconds must be a number of at least ${PARTS}`);

const folder = mkdtempSync(join(tmpdir(), 'courier-idle-'));
const file = join(folder, 'courier.yaml');
const service = await startService({ database: `sqlite:${join(folder, 'service.db')}` });
const { id } = await service.accounts.createAccount({
  name: 'idle',
  balance: micros(1_000_000),
  price: micros(250_000),
});
const { apiKey } = await service.accounts.createKey({ account: id });
writeFileSync(
  file,
  `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { env: COURIER_API_KEY } }
watches:
  shop:
    account: main
    sitemaps: [sitemap.xml]
    hosts: [shop.example]
    first_run: baseline
    schedule: { cron: "0 0 1 1 *", timezone: UTC }
`,
);
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const compiled = fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));
const { TEMPORAL_ADDRESS: _, ...env } = process.env;
const started = performance.now();
const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'worker', '--quiet'], {
  cwd: folder,
  // As bin/courier.mjs starts it: with code compiled by earlier starts.
  env: { NODE_COMPILE_CACHE: compiled, ...env, COURIER_API_KEY: apiKey },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const workerPid = worker.pid;
if (workerPid === undefined) throw new Error('the worker did not start');
const over = once(worker, 'exit');
try {
  await untilPolled();
  const startMs = performance.now() - started;
  const [serverPid] = listChildren(workerPid);
  if (serverPid === undefined) throw new Error('the worker has no Temporal server of its own');
  const used = { worker: readProcess(workerPid).cpuMs, server: readProcess(serverPid).cpuMs };
  const startLine = `start to the first poll of every task queue: ${(startMs / 1_000).toFixed(1)} s, with ${(used.worker / 1_000).toFixed(1)} s of CPU of the worker and ${(used.server / 1_000).toFixed(1)} s of the server`;
  console.log(startLine);
  await pause(SETTLE_MS);
  await measureIdle(workerPid, serverPid);
} finally {
  worker.kill('SIGTERM');
  await over;
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

async function untilPolled(): Promise<void> {
  const config = loadConfig(file);
  while (!hasServer(config, file)) {
    if (worker.exitCode !== null) throw new Error(`the worker ended with ${worker.exitCode}`);
    await pause(50);
  }
  const ledger = await openLedger(`sqlite:${join(folder, '.courier', 'ledger.db')}`);
  const ledgerId = ledger.id;
  await ledger.close();
  await withTemporal(config, file, async (connected) => {
    while (listMissingDuties(await findWorkers(connected, ledgerId)).length > 0) {
      if (worker.exitCode !== null) throw new Error(`the worker ended with ${worker.exitCode}`);
      await pause(100);
    }
  });
}

async function measureIdle(workerPid: number, serverPid: number): Promise<void> {
  const read = () => ({ at: performance.now(), worker: readProcess(workerPid), server: readProcess(serverPid) });
  const first = read();
  let before = first;
  let mostRssMb = 0;
  printRow('', 'worker', 'server', 'together');
  for (let part = 1; part <= PARTS; part++) {
    await pause((seconds * 1_000) / PARTS);
    const now = read();
    mostRssMb = Math.max(mostRssMb, now.worker.rssMb + now.server.rssMb);
    printPart(`${Math.round((now.at - first.at) / 1_000)} s`, before, now);
    before = now;
  }
  const cpuPercent = printPart('all', first, before);
  console.log(
    `goal: ${GOAL.cpuPercent}% of a core and ${GOAL.rssMb} MB together; most RSS ${mostRssMb.toFixed(0)} MB; load ${loadavg()[0]?.toFixed(1)}`,
  );
  if (values.check && (cpuPercent > GOAL.cpuPercent || mostRssMb > GOAL.rssMb)) process.exitCode = 1;
}

interface Reading {
  readonly at: number;
  readonly worker: ProcessFigures;
  readonly server: ProcessFigures;
}

/** Prints a row, and returns the share of a core that both took together. */
function printPart(name: string, from: Reading, to: Reading): number {
  const share = (which: 'worker' | 'server') => ((to[which].cpuMs - from[which].cpuMs) / (to.at - from.at)) * 100;
  const [worker, server] = [share('worker'), share('server')];
  const cell = (percent: number, rssMb: number) => `${percent.toFixed(2)}% ${rssMb.toFixed(0)} MB`;
  printRow(
    name,
    cell(worker, to.worker.rssMb),
    cell(server, to.server.rssMb),
    cell(worker + server, to.worker.rssMb + to.server.rssMb),
  );
  return worker + server;
}

function printRow(...cells: string[]): void {
  console.log(cells.map((cell) => cell.padEnd(16)).join(''));
}
