import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';

/** What a command of the transcript prints, and how it ends. */
interface Step {
  readonly args: readonly string[];
  readonly code?: number;
  /** Lines that it must print, in this order, on either stream. */
  readonly prints: readonly RegExp[];
}

const PAGES = 24;

/** What a new user types, from an empty folder to a first run that buys nothing. */
const listFirstSteps = (site: string, service: string): readonly Step[] => [
  {
    args: ['init', `${site}/sitemap.xml`, '--base-url', service, '--allow-private-hosts'],
    prints: [/24 pages in/, /courier\.yaml is written: 1 watch. The first run buys nothing/, /COURIER_API_KEY/],
  },
  { args: ['validate'], prints: [/courier\.yaml is valid: 1 account, 1 watch/] },
  {
    args: ['doctor'],
    prints: [
      /ok +ledger/,
      /ok +key \(main\)/,
      /ok +balance \(main\) +100\.00 TRY/,
      /ok +sitemap .*24 URLs/,
      /warn +runs/,
    ],
  },
  { args: ['plan'], prints: [/24 found, 24 new/, /buys nothing: the first run adopts what is there/] },
  { args: ['run', '--once', '--wait'], prints: [/24 found, 24 new, 0 submitted/, /charged 0\.00 TRY/] },
];

/** Three pages later: bought once, and explained. */
const listSecondSteps = (site: string): readonly Step[] => [
  { args: ['plan'], prints: [/27 found, 3 new/, /3 URLs in 1 batch, 0\.75 TRY/, /99\.25 TRY after it/] },
  { args: ['run', '--once', '--wait'], prints: [/27 found, 3 new, 3 submitted, 3 completed/, /charged 0\.75 TRY/] },
  { args: ['run', '--once', '--wait'], prints: [/27 found, 0 new, 0 submitted/, /charged 0\.00 TRY/] },
  { args: ['why', `${site}/page/25`], prints: [/0\.25 TRY/] },
  { args: ['status'], prints: [/charged today 0\.75 TRY/, /27 found, 0\.00 TRY/] },
  { args: ['spend'], prints: [/0\.75 TRY/] },
  { args: ['audit'], prints: [/Journal 0\.75 TRY; service 0\.75 TRY; difference 0\.00 TRY/] },
  { args: ['report'], prints: [/\.html/] },
];

/** What goes wrong, as loudly as can be: nothing of it may show the key. */
const listFailures = (): readonly Step[] => [
  { args: ['--verbose', 'plan'], code: 6, prints: [/status 401.*Nothing was planned or charged/] },
  { args: ['--verbose', 'run', '--once', '--json'], code: 6, prints: [/"exit_code":6/] },
  { args: ['--verbose', 'doctor'], code: 6, prints: [/fail +key/] },
  { args: ['config', 'show'], prints: [/COURIER_API_KEY/] },
  { args: ['no-such-command'], code: 2, prints: [/unknown command/] },
];

/** A site of its own, whose sitemap grows when `publish` says so. */
async function openSite(): Promise<{ server: Server; url: string; publish(pages: number): void }> {
  let published = PAGES;
  const server = createServer((request, response) => {
    const page = (n: number) => `<url><loc>http://${request.headers.host}/page/${n}</loc></url>`;
    const urls = Array.from({ length: published }, (_, n) => page(n + 1)).join('');
    if (request.url !== '/sitemap.xml') response.statusCode = 404;
    response.setHeader('content-type', 'application/xml');
    response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url, publish: (pages) => (published = pages) };
}

/** Replays the transcript with an installed package, against a courier-service of the same package. Prints it. */
export async function replayTranscript(node: string, app: string, print: (line: string) => void): Promise<void> {
  const folder = join(app, 'my-site');
  mkdirSync(folder);
  const bin = (program: string) => join(app, 'node_modules/.bin', program);
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const database = `sqlite:${join(app, 'sandbox.db')}`;
  const ask = (...args: string[]): Record<string, string> => {
    const { status, stdout, stderr } = spawnSync(
      node,
      [bin('courier-service'), ...args, '--database', database, '--json'],
      options,
    );
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout.split('\n')[1] ?? '{}') as Record<string, string>;
  };
  ask('account', 'create', '--name', 'shop', '--balance', '100', '--price', '0.25', '--price-fast', '0.25');
  const { id = '', api_key: key = '' } = ask('key', 'create', '--account', 'shop');
  writeFileSync(join(app, 'sandbox.yaml'), 'processing: { simulated: { standard_ms: 500, fast_ms: 500 } }\n');
  const temporal = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
  const serve = [
    'serve',
    '--temporal',
    temporal.address,
    '--port',
    '0',
    '--json',
    '--database',
    database,
    '--config',
    join(app, 'sandbox.yaml'),
  ];
  const service = spawn(node, [bin('courier-service'), ...serve, '--log-level', 'fatal'], {
    cwd: app,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const site = await openSite();
  try {
    const [line] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string];
    const { base_url: baseUrl } = JSON.parse(line) as { base_url: string };
    const env = { ...process.env, COURIER_API_KEY: key, NO_COLOR: '1' };
    const said: string[] = [];
    const keep = (line: string) => {
      said.push(line);
      print(line);
    };
    const replay = async (steps: readonly Step[]) => {
      for (const step of steps) await replayStep(step, { node, courier: bin('courier'), folder, env, print: keep });
    };
    await replay(listFirstSteps(site.url, baseUrl));
    site.publish(PAGES + 3);
    // Jobs of `standard` take hours, and are asked for as rarely; those of `fast` are asked for after five minutes.
    const config = join(folder, 'courier.yaml');
    const text = readFileSync(config, 'utf8').replace(/^( *)service: standard/m, '$1service: fast');
    writeFileSync(config, text.replace(/^( *)base_url:/m, '$1tracking: { fast: { first: 1s, min: 1s, max: 1s } }\n$&'));
    await replay(listSecondSteps(site.url));
    ask('key', 'revoke', id);
    await replay(listFailures());
    assert.ok(!said.join('\n').includes(key), 'a command printed the key');
    assertNoFileHolds(folder, key);
  } finally {
    site.server.close();
    await stop(service);
    await temporal.stop();
  }
}

/** The configuration, the ledger, the state of Temporal with every history, the report: as bytes. */
function assertNoFileHolds(folder: string, secret: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.some(({ name }) => name === 'ledger.db') && files.length > 4, files.map(({ name }) => name).join());
  for (const { parentPath, name } of files)
    assert.ok(!readFileSync(join(parentPath, name)).includes(secret), `${name} holds the API key`);
}

interface Surroundings {
  readonly node: string;
  readonly courier: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  print(line: string): void;
}

async function replayStep({ args, code = 0, prints }: Step, { node, courier, folder, env, print }: Surroundings) {
  const started = performance.now();
  print(`$ courier ${args.join(' ')}`);
  // Not spawnSync: the site is in this process.
  const child = spawn(node, [courier, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  for (const line of said.trimEnd().split('\n')) print(`  ${line}`);
  print(`  (${exitCode}, ${((performance.now() - started) / 1_000).toFixed(1)} s)`);
  assert.equal(exitCode, code, `courier ${args.join(' ')}\n${said}`);
  let rest = said;
  for (const line of prints) {
    const found = line.exec(rest);
    assert.ok(found !== null, `courier ${args.join(' ')} prints no ${line} here:\n${rest}`);
    rest = rest.slice(found.index);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
