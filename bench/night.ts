/**
 * `npm run bench:night [-- --rounds 5]`: what a scheduled run costs on a site of a million pages. It runs `courier plan` as
 * a user does, launcher included, against a site and a service on loopback, with the ledger in SQLite, and prints the
 * medians of CPU seconds and peak memory with their limits. The startup of small commands is measured beside it.
 *
 * CPU seconds are user and system time of all processes of the command, so they hold on a machine that others use too;
 * gunzip of the same files alone, in the same run, is what they are divided by. No package reads sitemaps and compares them
 * with those of the last time, so the peer is the shortest program that does (night/shortest.mjs).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './crawl/measured.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const rounds = Number(values.rounds);
const only = values.only === '' ? undefined : values.only.split(',');
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'courier-bench-'));
const say = (line: string) => process.stdout.write(`${line}\n`);

interface Cost {
  readonly cpuSeconds: number;
  readonly rssMb: number;
}

/** Runs a command to its end. Returns its CPU seconds with those of its launcher, and the larger peak of memory. */
async function measure(cwd: string, command: readonly string[]): Promise<Cost> {
  const probe = join(folder, 'probe.ndjson');
  rmSync(probe, { force: true });
  const [program, ...args] = command;
  const child = spawn(program!, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: `--import=${here('./night/probe.mjs')}`, BENCH_PROBE: probe },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${output.join('').slice(-2_000)}`);
  const lines = readFileSync(probe, 'utf8').trim().split('\n');
  const costs = lines.map((line) => JSON.parse(line) as Cost);
  return {
    cpuSeconds: costs.reduce((sum, cost) => sum + cost.cpuSeconds, 0),
    rssMb: Math.max(...costs.map(({ rssMb }) => rssMb)),
  };
}

const courier = (cwd: string, ...args: string[]) =>
  measure(cwd, [process.execPath, here('../bin/courier.mjs'), '--quiet', ...args]);

/** Starts a process that prints one line when it is ready, and one for each line that it is sent. */
function start(
  script: string,
  ...args: string[]
): { readonly child: ChildProcess; readonly line: () => Promise<string> } {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', here(script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  return {
    child,
    line: () => new Promise((resolve) => child.stdout?.once('data', (data) => resolve(String(data).trim()))),
  };
}

interface Row {
  readonly name: string;
  readonly maxSeconds: number;
  readonly maxMb: number;
  readonly costs: Cost[];
}

const NO_LIMIT = { maxSeconds: Infinity, maxMb: Infinity } as const;
const rows = new Map<string, Row>();

async function record(name: string, limits: Omit<Row, 'name' | 'costs'>, run: () => Promise<Cost>): Promise<void> {
  if (only?.every((part) => !name.includes(part))) return;
  const row = rows.get(name) ?? { name, ...limits, costs: [] };
  rows.set(name, row);
  const cost = await run();
  process.stderr.write(`${name}: ${cost.cpuSeconds.toFixed(2)} s of CPU, ${Math.round(cost.rssMb)} MB\n`);
  row.costs.push(cost);
}

function writeFolder(name: string, origin: string, path: string, service: { baseUrl: string; key: string }): string {
  const at = join(folder, name);
  mkdirSync(at);
  writeFileSync(join(at, 'key'), service.key);
  writeFileSync(
    join(at, 'courier.yaml'),
    `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { file: key }, price_per_url: 0.25 TRY }
watches:
  shop:
    { account: main, project: Shop, sitemaps: ["${origin}${path}"], hosts: [www.shop.example], first_run: baseline, allow_private_hosts: ["127.0.0.1"] }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  return at;
}

/** A copy of a folder whose ledger knows the base version: every measurement starts from the same state. */
function copyFolder(from: string): string {
  const at = join(folder, 'copy');
  rmSync(at, { recursive: true, force: true });
  cpSync(from, at, { recursive: true });
  return at;
}

/** What no package does: the least that finds what is new and changed. It knows the version of its last run. */
const runShortest = (database: string) =>
  measure(folder, [process.execPath, here('./night/shortest.mjs'), `${origin}/sitemap.xml`, join(folder, database)]);

const formatLimit = (limit: number, value: number) =>
  limit === Infinity ? '' : `${limit}${value > limit ? ' missed' : ''}`;

const site = start('./night/site.ts');
const origin = await site.line();
const service = start('./service/served.ts', `sqlite:${join(folder, 'service.db')}`);
const account = JSON.parse(await service.line()) as { baseUrl: string; key: string };

async function publish(version: string): Promise<void> {
  const published = site.line();
  site.child.stdin?.write(`${version}\n`);
  await published;
}

try {
  const base = writeFolder('million', origin, '/sitemap.xml', account);
  await courier(base, 'plan');
  const small = writeFolder('small', origin, '/small.xml', account);
  await courier(small, 'plan');
  const file = join(folder, 'small.xml');
  writeFileSync(file, await (await fetch(`${origin}/small.xml`)).text());
  for (let round = 1; round <= rounds; round += 1) {
    await publish('base');
    await record('gunzip alone, in Node', NO_LIMIT, () =>
      measure(folder, [process.execPath, here('./crawl/peers/gunzip.mjs'), `${origin}/sitemap.xml`]),
    );
    await record('crawl of a small file', { maxSeconds: 0.15, maxMb: Infinity }, () => courier(folder, 'crawl', file));
    await record('plan of a small watch, nothing new', { maxSeconds: 0.3, maxMb: Infinity }, () =>
      courier(small, 'plan'),
    );
    await record('crawl of a million', { maxSeconds: 1.2, maxMb: 130 }, () =>
      courier(folder, 'crawl', '--allow-private-hosts', `${origin}/sitemap.xml`),
    );
    await record('plan of a million, same bytes', { maxSeconds: 1.5, maxMb: 200 }, () =>
      courier(copyFolder(base), 'plan'),
    );
    await record('shortest program, same bytes', NO_LIMIT, async () => {
      rmSync(join(folder, 'kept.db'), { force: true });
      await runShortest('kept.db');
      return runShortest('kept.db');
    });
    await publish('written-again');
    await record('plan of a million, written again', { maxSeconds: 1.5, maxMb: 200 }, () =>
      courier(copyFolder(base), 'plan'),
    );
    await publish('edited');
    await record('plan of a million, 1% edited', { maxSeconds: 3, maxMb: 220 }, () =>
      courier(copyFolder(base), 'plan'),
    );
    await record('shortest program, 1% edited', NO_LIMIT, () => runShortest('kept.db'));
    await record('plan of a million, first', { maxSeconds: 10, maxMb: 300 }, () => {
      const first = join(folder, 'first');
      rmSync(first, { recursive: true, force: true });
      return courier(writeFolder('first', origin, '/sitemap.xml', account), 'plan');
    });
    await record('shortest program, first', NO_LIMIT, () => runShortest(`first-${round}.db`));
  }
  print();
} finally {
  site.child.kill();
  service.child.kill();
  rmSync(folder, { recursive: true, force: true });
}

function print(): void {
  const gunzip = median(rows.get('gunzip alone, in Node')?.costs.map(({ cpuSeconds }) => cpuSeconds) ?? [1]);
  say('| command | CPU seconds | from – to | limit | times gunzip | RSS MB | limit |');
  say('| --- | --- | --- | --- | --- | --- | --- |');
  for (const { name, costs, maxSeconds, maxMb } of rows.values()) {
    const seconds = costs.map(({ cpuSeconds }) => cpuSeconds);
    const middle = median(seconds);
    const rss = median(costs.map(({ rssMb }) => rssMb));
    const spread = `${Math.min(...seconds).toFixed(2)} – ${Math.max(...seconds).toFixed(2)}`;
    const cpu = `${middle.toFixed(2)} | ${spread} | ${formatLimit(maxSeconds, middle)}`;
    say(`| ${name} | ${cpu} | ${(middle / gunzip).toFixed(1)} | ${Math.round(rss)} | ${formatLimit(maxMb, rss)} |`);
  }
}
