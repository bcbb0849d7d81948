/**
 * `npm run bench:publish [-- --times 100]`: from "published" to "accepted by the service". A site of 12,000 pages publishes
 * one more and tells it to the listener of a worker (`POST /runs/shop`); the page is bought when the ledger has recorded the
 * service's acceptance. Worker and service are processes of their own, Temporal is the local server that the worker starts.
 * Prints median, p99 and where the time goes. The pause between two keeps below the ten submissions a minute of a key.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '100' },
    pages: { type: 'string', default: '12000' },
    pause: { type: 'string', default: '5' },
  },
});
const [times, pages, pauseSeconds] = [Number(values.times), Number(values.pages), Number(values.pause)];
const PORT = 19_464;
const SECRET = 'secret-of-the-publication-bench';
const NODE_ARGS = ['--disable-warning=ExperimentalWarning'];
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'courier-publish-'));

let published = pages;
const site = createServer((request, response) => {
  const { port } = site.address() as AddressInfo;
  const list = Array.from({ length: published }, (_, n) => `<url><loc>http://127.0.0.1:${port}/page/${n}</loc></url>`);
  response.writeHead(request.url === '/sitemap.xml' ? 200 : 404, { 'content-type': 'application/xml' });
  response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${list.join('')}</urlset>`);
}).listen(0, '127.0.0.1');
await once(site, 'listening');

const service = spawn(
  process.execPath,
  [...NODE_ARGS, here('./service/served.ts'), `sqlite:${join(folder, 'service.db')}`],
  { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
);
const [line] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string];
const { baseUrl, key } = JSON.parse(line) as { baseUrl: string; key: string };
writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
writeFileSync(join(folder, 'secret'), SECRET, { mode: 0o600 });
writeFileSync(
  join(folder, 'courier.yaml'),
  `version: 1
accounts:
  main: { base_url: "${baseUrl}", api_key: { file: key } }
watches:
  shop:
    account: main
    sitemaps: ["http://127.0.0.1:${(site.address() as AddressInfo).port}/sitemap.xml"]
    allow_private_hosts: ["127.0.0.1"]
    first_run: baseline
    schedule: { cron: "0 4 1 1 *", timezone: UTC }
admin: { port: ${PORT}, runs: { secret: { file: secret } } }
`,
);
const { TEMPORAL_ADDRESS: _, ...env } = process.env;
const worker = spawn(process.execPath, [...NODE_ARGS, here('../src/cli/main.ts'), 'worker', '--quiet'], {
  cwd: folder,
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const over = once(worker, 'exit');

/** Tells the worker that something was published. Returns how the listener answered; null before it listens. */
async function publish(): Promise<number | null> {
  const init = { method: 'POST', headers: { authorization: `Bearer ${SECRET}` } };
  const response = await fetch(`http://127.0.0.1:${PORT}/runs/shop`, init).catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? null;
}

async function until<Value>(find: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  const end = performance.now() + 120_000;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (worker.exitCode !== null) throw new Error(`the worker ended with ${worker.exitCode}`);
    if (performance.now() > end) throw new Error('nothing happened for two minutes');
    await pause(20);
  }
}

const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function printStage(name: string, unsorted: readonly number[]): void {
  const sorted = unsorted.toSorted((a, b) => a - b);
  const at = (share: number) => toSeconds(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN);
  console.log(`${name.padEnd(37)}median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
}

interface Times {
  readonly started: number;
  readonly planned: number;
  readonly accepted: number;
}

try {
  await until(async () => ((await publish()) === 202 ? true : undefined));
  const ledger = new DatabaseSync(join(folder, '.courier', 'ledger.db'), { readOnly: true });
  const adopted = ledger.prepare(`SELECT id FROM runs WHERE end_state = 'finished'`);
  const bought = ledger.prepare(`
    SELECT r.started_at AS started, b.planned_at AS planned, b.accepted_at AS accepted
    FROM batches AS b JOIN runs AS r ON r.id = b.run_id WHERE b.accepted_at >= ?`);
  await until(() => adopted.get());
  const stages = { answered: [], started: [], planned: [], accepted: [], all: [] } as Record<string, number[]>;
  for (let time = 0; time < times; time++) {
    await pause(pauseSeconds * 1_000);
    published += 1;
    const at = Date.now();
    const status = await publish();
    if (status !== 202) throw new Error(`the listener answered with ${status}`);
    stages.answered?.push(Date.now() - at);
    const { started, planned, accepted } = (await until(() => bought.get(at))) as unknown as Times;
    stages.started?.push(started - at);
    stages.planned?.push(planned - started);
    stages.accepted?.push(accepted - planned);
    stages.all?.push(accepted - at);
  }
  printStage('published to accepted', stages.all ?? []);
  printStage('  the listener answers', stages.answered ?? []);
  printStage('  published to the run in the ledger', stages.started ?? []);
  printStage('  crawl, compare, judge, plan', stages.planned ?? []);
  printStage('  planned to accepted', stages.accepted ?? []);
  console.log(`${times} times one new page on ${pages} pages; load ${loadavg()[0]?.toFixed(1)}`);
  ledger.close();
} finally {
  worker.kill('SIGTERM');
  await over;
  service.kill('SIGTERM');
  site.close();
  site.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
