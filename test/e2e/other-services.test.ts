/** The whole connector against a service that is not ours: other names, other headers, other words, and faults. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { newRunName, startRun } from '../../src/connector/run-client.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import { type Dialect, type Fault, startOtherService } from '../fakes/other-service.ts';
import { type NetworkFault, startUnfamiliarService } from '../fakes/unfamiliar-service.ts';

const KEY = 'other-service-key';
const DIALECTS: readonly Dialect[] = ['camel', 'paginator', 'bare'];
/** Seeds of unfamiliar services: Turkish words, no charge told, long references, lists of edges, URLs by name. */
const SEEDS = [48, 69, 113];
const URLS = 30;
const PRICE_KURUS = 20;
const FAULTS: readonly Fault[] = ['drop-after', 'html-200', 'cut', 'error-503'];
/** By the time they are over a key is no longer trusted: the list is asked for the job, and keys are forgotten. */
const NETWORK: readonly NetworkFault[] = ['slow-commit', 'page-200-after', 'cut-after', 'error-503-before'];
const EXPIRING = { keyLifeMs: 6_000, listLagMs: 500 };

interface Served {
  readonly name: string;
  readonly baseUrl: string;
  /** Lines of the account besides its address, key and tracking. */
  readonly account: readonly string[];
  /** How often each URL was charged. */
  charges(): readonly number[];
  finish(): void;
}

async function otherMade(t: TestContext, dialect: Dialect): Promise<Served> {
  const service = await startOtherService({ dialect, priceKurus: PRICE_KURUS, apiKey: KEY });
  t.after(() => service.close());
  service.faults.push(...FAULTS);
  const times = () => service.charged() / (URLS * PRICE_KURUS);
  return {
    name: dialect,
    baseUrl: service.baseUrl,
    account: [],
    charges: () => Array.from({ length: URLS }, times),
    finish: () => service.charged() > 0 && service.finish('partial'),
  };
}

async function unfamiliar(t: TestContext, seed: number): Promise<Served> {
  const service = await startUnfamiliarService({
    seed,
    apiKey: KEY,
    now: Date.now,
    priceKurus: PRICE_KURUS,
    ...EXPIRING,
  });
  t.after(() => service.close());
  service.faults.push(...NETWORK);
  return {
    name: `seed-${seed}`,
    baseUrl: service.baseUrl,
    account: ['reconcile: { after: 3s, confirm_after: 1s }', service.profile.account].filter(Boolean),
    charges: () => [...service.charges.values()],
    finish: () => service.finish('completed'),
  };
}

test('the connector buys each URL once at services of other making, through lost and broken answers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'courier-other-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const entries = Array.from({ length: URLS }, (_, n) => `<url><loc>https://shop.example/${n}</loc></url>`);
  const sitemap = join(folder, 'sitemap.xml');
  writeFileSync(sitemap, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`);
  const server = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
  t.after(() => server.stop());
  process.env.COURIER_OTHER_KEY = KEY;

  const services = [
    ...(await Promise.all(DIALECTS.map((dialect) => otherMade(t, dialect)))),
    ...(await Promise.all(SEEDS.map((seed) => unfamiliar(t, seed)))),
  ];
  const file = join(folder, 'courier.yaml');
  writeFileSync(
    file,
    [
      'version: 1',
      'accounts:',
      ...services.flatMap(({ name, baseUrl, account }) => [
        `  ${name}:`,
        `    base_url: ${baseUrl}`,
        '    api_key: { env: COURIER_OTHER_KEY }',
        '    tracking: { fast: { first: 1s, min: 1s, max: 1s, growth: 1 } }',
        ...account.map((line) => `    ${line}`),
      ]),
      'defaults: { service: fast, first_run: submit, retry_failed: { times: 0 } }',
      'watches:',
      ...services.map(({ name }) => `  ${name}: { account: ${name}, sitemaps: ["${sitemap}"], hosts: ["*"] }`),
      `ledger: { url: "sqlite:${join(folder, 'ledger.db')}" }`,
    ].join('\n'),
  );
  const config = loadConfig(file);
  const temporal = { address: server.address, namespace: 'default' };
  const connector = await openConnector(config, temporal, createLogger('error', 'test'));
  const working = connector.run();
  const finishing = setInterval(() => {
    for (const service of services) service.finish();
  }, 200);
  const runs = services.map(async (service) => {
    const watch = config.watches.get(service.name as WatchId)!;
    const { client, ledger } = connector.deps;
    const handle = await startRun(client, ledger.id, watch, 'terminal', newRunName(Date.now(), Math.random()));
    return { service, ...(await handle.result()) };
  });
  try {
    for (const { service, report } of await Promise.all(runs)) {
      const { name, charges } = service;
      assert.deepEqual(
        charges(),
        Array.from({ length: URLS }, () => 1),
        name,
      );
      const completed = DIALECTS.some((dialect) => dialect === name) ? URLS / 2 : URLS;
      assert.deepEqual([report?.submitted, report?.completed, report?.open], [URLS, completed, 0], name);
    }
  } finally {
    clearInterval(finishing);
    connector.stop();
    await working;
  }
});
