/** The whole connector against a service that is not ours: other names, other headers, other words, and faults. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openConnector } from '../src/cli/connector.ts';
import { newRunName, startRun } from '../src/cli/run-job.ts';
import { loadConfig } from '../src/config/load.ts';
import { createLogger } from '../src/observability/log.ts';
import type { WatchId } from '../src/submission/ids.ts';
import { startDevServer } from '../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../src/temporal/server-binary.ts';
import { type Dialect, type Fault, type OtherService, startOtherService } from './fixtures/other-service.ts';

const KEY = 'other-service-key';
const DIALECTS: readonly Dialect[] = ['camel', 'paginator', 'bare'];
const URLS = 30;
const PRICE_KURUS = 20;
const FAULTS: readonly Fault[] = ['drop-after', 'html-200', 'cut', 'error-503'];

test('the connector buys each URL once at services of other making, through lost and broken answers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'courier-other-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const entries = Array.from({ length: URLS }, (_, n) => `<url><loc>https://shop.example/${n}</loc></url>`);
  const sitemap = join(folder, 'sitemap.xml');
  writeFileSync(sitemap, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`);
  const server = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
  t.after(() => server.stop());
  process.env.COURIER_OTHER_KEY = KEY;

  const services = new Map<Dialect, OtherService>();
  for (const dialect of DIALECTS) {
    const service = await startOtherService({ dialect, priceKurus: PRICE_KURUS, apiKey: KEY });
    t.after(() => service.close());
    service.faults.push(...FAULTS);
    services.set(dialect, service);
  }
  const file = join(folder, 'courier.yaml');
  writeFileSync(
    file,
    [
      'version: 1',
      'accounts:',
      ...DIALECTS.flatMap((dialect) => [
        `  ${dialect}:`,
        `    base_url: ${services.get(dialect)!.baseUrl}`,
        '    api_key: { env: COURIER_OTHER_KEY }',
        '    tracking: { fast: { first: 1s, min: 1s, max: 1s, growth: 1 } }',
      ]),
      'defaults: { service: fast, first_run: submit, retry_failed: { times: 0 } }',
      'watches:',
      ...DIALECTS.map((name) => `  ${name}: { account: ${name}, sitemaps: ["${sitemap}"], hosts: ["*"] }`),
      `ledger: { url: "sqlite:${join(folder, 'ledger.db')}" }`,
    ].join('\n'),
  );
  const config = loadConfig(file);
  const temporal = { address: server.address, namespace: 'default' };
  const connector = await openConnector(config, temporal, createLogger('error', 'test'));
  const working = connector.run();
  const finishing = setInterval(() => {
    for (const service of services.values()) if (service.charged() > 0) service.finish('partial');
  }, 200);
  const runs = DIALECTS.map(async (dialect) => {
    const watch = config.watches.get(dialect as string as WatchId)!;
    const handle = await startRun(connector.deps.client, watch, 'terminal', newRunName(Date.now(), Math.random()));
    return { dialect, ...(await handle.result()) };
  });
  try {
    for (const { dialect, report } of await Promise.all(runs)) {
      const { charged, requests } = services.get(dialect)!;
      t.diagnostic(`${dialect}: ${requests.length} requests`);
      assert.equal(charged(), URLS * PRICE_KURUS, dialect);
      assert.deepEqual([report?.submitted, report?.completed, report?.open], [URLS, URLS / 2, 0], dialect);
    }
  } finally {
    clearInterval(finishing);
    connector.stop();
    await working;
  }
});
