/** The whole connector against other service profiles: other names, other headers, other states, and faults. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { startRun } from '../../src/connector/run-client.ts';
import { newRunName } from '../../src/connector/run-name.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import type { Fault } from '../fakes/service/faults.ts';
import type { Profile } from '../fakes/service/profile.ts';
import { NAMED_PROFILES } from '../fakes/service/profiles/named.ts';
import { createSeededProfile } from '../fakes/service/profiles/seeded.ts';

const KEY = 'fake-service-key';
/** Turkish states, no charge reported, long references, lists of edges, results keyed by URL. */
const SEEDED_PROFILES = [48, 69, 113].map(createSeededProfile);
const URLS = 30;
const FAULTS: readonly Fault[] = ['drop-after', 'html-200-after', 'cut-after', 'error-503-before'];
/** By the time they are over a key is no longer trusted: the list is searched for the job, and keys are forgotten. */
const SEEDED_FAULTS: readonly Fault[] = ['slow-commit-after', 'html-200-after', 'cut-after', 'error-503-before'];
const EXPIRING = { keyLifeMs: 6_000, listLagMs: 500 };

async function start(t: TestContext, profile: Profile) {
  const isNamed = NAMED_PROFILES.includes(profile);
  const service = await startFakeService(t, { profile, apiKey: KEY, ...(isNamed ? {} : EXPIRING) });
  service.faults.push(...(isNamed ? FAULTS : SEEDED_FAULTS));
  const account = [isNamed ? '' : 'reconcile: { after: 3s, confirm_after: 1s }', profile.account].filter(Boolean);
  const endState = isNamed ? ('partial' as const) : ('completed' as const);
  return { ...service, name: profile.name, account, endState, completed: isNamed ? URLS / 2 : URLS };
}

describe('services with other profiles', () => {
  test('the connector buys each URL once at every service profile, despite lost and broken responses', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-other-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const entries = Array.from({ length: URLS }, (_, n) => `<url><loc>https://shop.example/${n}</loc></url>`);
    const sitemap = join(folder, 'sitemap.xml');
    writeFileSync(sitemap, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`);
    const server = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
    t.after(() => server.stop());
    process.env.COURIER_TEST_API_KEY = KEY;

    const services = await Promise.all([...NAMED_PROFILES, ...SEEDED_PROFILES].map((profile) => start(t, profile)));
    const file = join(folder, 'courier.yaml');
    writeFileSync(
      file,
      [
        'version: 1',
        'accounts:',
        ...services.map(({ name, baseUrl, account }) => {
          const tracking = 'tracking: { fast: { first: 1s, min: 1s, max: 1s, growth: 1 } }';
          const settings = [`base_url: "${baseUrl}"`, 'api_key: { env: COURIER_TEST_API_KEY }', tracking, ...account];
          return `  ${name}: { ${settings.join(', ')} }`;
        }),
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
      for (const service of services) service.finish(service.endState);
    }, 200);
    const runs = services.map(async (service) => {
      const watch = config.watches.get(service.name as WatchId)!;
      const { client, ledger } = connector.deps;
      const handle = await startRun(client, ledger.id, watch, 'terminal', newRunName(Date.now(), Math.random()));
      return { service, ...(await handle.result()) };
    });
    try {
      for (const { service, report } of await Promise.all(runs)) {
        const { name, charges, completed, breaches } = service;
        const once = Array.from({ length: URLS }, () => 1);
        assert.deepEqual([...charges.values()], once, name);
        assert.deepEqual(breaches, [], name);
        assert.deepEqual([report?.submitted, report?.completed, report?.open], [URLS, completed, 0], name);
      }
    } finally {
      clearInterval(finishing);
      connector.stop();
      await working;
    }
  });
});
