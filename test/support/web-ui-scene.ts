import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTry } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const lira = (text: string) => parseTry(text)!;

/** A worker with everything that ops meet: a held run, a suspended account, an open job, a failed run, schedules. */
export interface Scene {
  readonly uiUrl: string;
  readonly address: string;
  /** Runs `courier ARGS` in the folder of the scene to its end. */
  courier(...args: string[]): Promise<void>;
  close(): Promise<void>;
}

/** Pages of each watch of the scene. */
const SITES = { shop: 4_210, blog: 40, press: 200 } as const;

/** With `encryption`, a section of the configuration, what Temporal stores is encrypted. */
export async function openScene(folder: string, { encryption }: { readonly encryption?: string } = {}): Promise<Scene> {
  mkdirSync(folder, { recursive: true });
  const closing: (() => unknown)[] = [];
  const server = await startDevServer({ binary: await findTemporalBinary(() => undefined) });
  closing.push(() => server.stop());
  const site = createServer((request, response) => {
    const pages = SITES[request.url?.split('/')[1] as keyof typeof SITES];
    response.writeHead(pages === undefined ? 404 : 200).end(pages === undefined ? '' : toSitemap(request.url!, pages));
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  closing.push(() => site.close());
  const service = await startService({ database: `sqlite:${join(folder, 'service.db')}` });
  closing.push(() => service.close());
  for (const [name, balance] of Object.entries({ main: '1000', small: '10' })) {
    const { id } = await service.accounts.createAccount({ name, balance: lira(balance), price: lira('0.25') });
    const { apiKey } = await service.accounts.createKey({ account: id });
    writeFileSync(join(folder, `${name}.key`), apiKey);
  }
  const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const watch = (name: string, account: string, more = '') =>
    `  ${name}: { account: ${account}, project: ${name}, sitemaps: ["${base}/${name}/sitemap.xml"], hosts: [${name}.example], first_run: submit, allow_private_hosts: ["127.0.0.1"], schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }${more} }`;
  const account = (name: string) =>
    `  ${name}: { base_url: "${service.baseUrl}", api_key: { file: ${name}.key }, price_per_url: 0.25 TRY, tracking: { standard: { first: 1s, min: 10s, growth: 10, max: 1h } } }`;
  const config = [
    'version: 1',
    'accounts:',
    account('main'),
    account('small'),
    'watches:',
    watch('shop', 'main', ', guard: { max_new: 50 }'),
    watch('blog', 'main', ', index_check: { after: 14d, every: 30d }'),
    watch('press', 'small'),
    watch('news', 'main'),
    `temporal: { address: "${server.address}", namespace: default${encryption === undefined ? '' : `, encryption: ${encryption}`} }`,
  ];
  writeFileSync(join(folder, 'courier.yaml'), config.join('\n'));
  const run = (...args: string[]): ChildProcess =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args, '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const worker = run('worker', '--quiet');
  closing.push(async () => {
    if (worker.exitCode !== null) return;
    worker.kill('SIGTERM');
    await once(worker, 'close');
  });
  await isReady(worker);
  return {
    uiUrl: server.uiUrl!,
    address: server.address,
    async courier(...args) {
      const command = run(...args);
      command.stdout?.resume();
      await once(command, 'close');
    },
    async close() {
      for (const end of closing.toReversed()) await end();
    },
  };
}

/** The path of a workflow's page; waits for the first workflow that the query lists. */
export async function findPage({ uiUrl }: Pick<Scene, 'uiUrl'>, query: string): Promise<string> {
  const list = '/namespaces/default/workflows';
  for (;;) {
    const answer = await fetch(`${uiUrl}/api/v1${list}?query=${encodeURIComponent(query)}`);
    const { executions = [] } = (await answer.json()) as {
      executions?: { execution: { workflowId: string; runId: string } }[];
    };
    const first = executions[0]?.execution;
    if (first !== undefined) return `${list}/${encodeURIComponent(first.workflowId)}/${first.runId}/history`;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function isReady(worker: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    worker.once('close', () => reject(new Error(`the worker ended before it was ready: ${said}`)));
    worker.stdout?.on('data', (chunk) => {
      said += String(chunk);
      if (said.includes('"ready"')) resolve();
    });
  });
}

function toSitemap(path: string, pages: number): string {
  const site = path.split('/')[1];
  const urls = Array.from({ length: pages }, (_, n) => `<url><loc>https://${site}.example/p/${n + 1}</loc></url>`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
}
