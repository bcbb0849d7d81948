/** "Published" told to a worker: a real worker, Temporal server and service; the site is slow while a test wants it to be. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { reconcileSchedules } from '../../src/connector/schedules.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { watchScheduleId } from '../../src/temporal-api/ids.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { folderFor } from '../support/cli.ts';
import { temporalAddress } from '../support/temporal.ts';

const KEY = 'key-of-the-publication-test';
const SECRET = 'secret-of-the-publication-test';

/** A site whose sitemap lists `pages`, and answers when `gate` is open. */
async function openSite(t: TestContext) {
  const site = { pages: ['a'], gate: Promise.resolve(), reads: 0 };
  const server = createServer(async (request, response) => {
    if (request.url !== '/sitemap.xml') return void response.writeHead(404).end();
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const xml = `<urlset>${site.pages.map((page) => `<url><loc>${origin}/${page}</loc></url>`).join('')}</urlset>`;
    site.reads += 1;
    await site.gate;
    response.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { site, port: (server.address() as AddressInfo).port };
}

async function openWorker(t: TestContext) {
  const address = await temporalAddress(t);
  const service = await startFakeService(t, { apiKey: KEY });
  const { site, port } = await openSite(t);
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { env: COURIER_TEST_API_KEY } }
defaults: { first_run: submit }
watches:
  shop: { account: main, allow_private_hosts: ["127.0.0.1"], sitemaps: ["http://127.0.0.1:${port}/sitemap.xml"], schedule: { cron: "0 4 1 1 *" } }
  plain: { account: main, allow_private_hosts: ["127.0.0.1"], sitemaps: ["http://127.0.0.1:${port}/sitemap.xml"] }
ledger: { url: "sqlite:ledger.db" }
admin: { port: 0, runs: { secret: { file: secret } } }
`,
  );
  process.env.COURIER_TEST_API_KEY = KEY;
  writeFileSync(join(folder, 'secret'), SECRET);
  const config = loadConfig(join(folder, 'courier.yaml'));
  const connector = await openConnector(config, { address, namespace: 'default' }, createLogger('error', 'test'), {
    serveAdmin: true,
    uiUrl: 'http://127.0.0.1:8233',
  });
  const { client, ledger } = connector.deps;
  await reconcileSchedules(client, config, ledger.id);
  const working = connector.run();
  t.after(async () => {
    await client.schedule.getHandle(watchScheduleId(ledger.id, 'shop' as WatchId)).delete();
    connector.stop();
    await working;
  });
  const post = async (watch: string, init: RequestInit = { headers: { authorization: `Bearer ${SECRET}` } }) => {
    const response = await fetch(`${connector.adminUrl}/runs/${watch}`, { method: 'POST', ...init });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { connector, service, site, post, client, ledger };
}

describe('POST /runs/WATCH of a worker', () => {
  test('starts a run at once, and while it reads the site lets one wait, which finds what was published since', async (t) => {
    const { site, post, service, client } = await openWorker(t);
    const gate = Promise.withResolvers<void>();
    site.gate = gate.promise;
    const first = await post('shop');
    assert.equal(first.status, 202, JSON.stringify(first.body));
    const { run, link } = first.body;
    assert.match(String(run), /^watch\/[a-z0-9]{8}\/shop\/scheduled-\d{4}-/);
    assert.equal(link, `http://127.0.0.1:8233/namespaces/default/workflows/${encodeURIComponent(String(run))}`);
    while (site.reads === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    // The first run has read the list without it.
    site.pages.push('published-meanwhile');
    const answers = await Promise.all([post('shop'), post('shop'), post('shop'), post('shop')]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 202]);
    for (const { body } of answers) assert.deepEqual([body.state, body.behind], ['waiting', run]);
    gate.resolve();
    await client.workflow.getHandle(String(run)).result();
    while (service.charges.size < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([...service.charges.values()], [1, 1]);
    assert.equal(site.reads, 2, 'four requests are one run');
  });

  test('refuses whoever has no credential, unknown watches, those without a schedule or paused, and long bodies', async (t) => {
    const { connector, post, client, ledger, site } = await openWorker(t);
    assert.equal((await post('shop', {})).status, 401);
    assert.equal((await post('else')).status, 404);
    const plain = await post('plain');
    assert.equal(plain.status, 409);
    assert.match(String(plain.body.reason), /plain: it has no schedule, so no run was started/);
    await client.schedule.getHandle(watchScheduleId(ledger.id, 'shop' as WatchId)).pause('while it moves');
    assert.match(String((await post('shop')).body.reason), /paused \(while it moves\)/);
    const long = await post('shop', { headers: { authorization: `Bearer ${SECRET}` }, body: 'x'.repeat(300_000) });
    assert.equal(long.status, 413);
    const get = await fetch(`${connector.adminUrl}/runs/shop`);
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST']);
    assert.equal((await fetch(`${connector.adminUrl}/metrics`, { method: 'POST' })).status, 405);
    assert.equal(site.reads, 0);
  });
});
