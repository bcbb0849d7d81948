/** A worker with its admin listener: what it shows, and that the dashboard and the alert rules name nothing else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { startRun } from '../../src/connector/run-client.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { ROOT } from '../suites.ts';
import { folderFor, publish } from '../support/cli.ts';
import { listMetricNames, parseSamples } from '../support/metrics.ts';
import { temporalAddress } from '../support/temporal.ts';

const KEY = 'key-of-the-metrics-test';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly action: string };
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function listRules(): Rule[] {
  const { groups } = parse(read('deploy/prometheus/courier-alerts.yaml')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** The queries of the dashboard's panels and variables. */
function listQueries(): string[] {
  const queries: string[] = [];
  JSON.parse(read('deploy/grafana/courier.json'), (key, value: unknown) => {
    if ((key === 'expr' || key === 'definition') && typeof value === 'string') queries.push(value);
    return value;
  });
  return queries;
}

const toNames = (query: string): string[] =>
  [...query.matchAll(/\b(?:courier|temporal|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);

describe('metrics and health of a worker', () => {
  test('after a run a scrape has what was submitted, and every metric of the dashboard and of the alert rules', async (t) => {
    const address = await temporalAddress(t);
    const service = await startFakeService(t, { apiKey: KEY });
    const folder = folderFor(
      t,
      () => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { env: COURIER_TEST_API_KEY } }
watches:
  shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: submit }
ledger: { url: "sqlite:ledger.db" }
admin: { port: 0 }
`,
    );
    publish(folder, [1, 2, 3]);
    process.env.COURIER_TEST_API_KEY = KEY;
    const config = loadConfig(join(folder, 'courier.yaml'));
    const log = createLogger('error', 'test');
    const connector = await openConnector(config, { address, namespace: 'default' }, log, { serveAdmin: true });
    const { client, ledger } = connector.deps;
    const get = (path: string) => fetch(`${connector.adminUrl}${path}`);
    const early = await get('/readyz');
    assert.deepEqual(
      [early.status, (await early.json()) as object],
      [503, { status: 'unavailable', reasons: ['the worker does not run'] }],
    );
    const working = connector.run();
    t.after(async () => {
      connector.stop();
      await working;
    });
    const watch = config.watches.get('shop' as WatchId) ?? assert.fail();
    await (await startRun(client, ledger.id, watch, 'accepted', 'metrics')).result();

    assert.equal((await get('/healthz')).status, 200);
    assert.deepEqual(await (await get('/readyz')).json(), { status: 'ok' });
    const text = await (await get('/metrics')).text();
    const samples = parseSamples(text);
    assert.equal(samples.get('courier_submitted_urls_total{account="main",watch="shop",service="standard"}'), 3);
    assert.equal(samples.get('courier_charged_micros_total{account="main",watch="shop",kind="submission"}'), 750_000);
    assert.equal(samples.get('courier_runs_total{watch="shop",result="complete"}'), 1);
    assert.equal(samples.get('courier_batches{account="main",state="pending"}'), 1);
    assert.ok((samples.get('courier_requests_total{account="main",endpoint="submit",status="202"}') ?? 0) === 1);
    assert.ok(!text.includes(KEY), 'the key is in no metric');

    const known = listMetricNames(text);
    const queries = [...listQueries(), ...listRules().map(({ expr }) => expr)];
    assert.ok(queries.length > 30);
    assert.deepEqual(
      queries.flatMap(toNames).filter((name) => !known.has(name)),
      [],
    );
  });

  test('every alert says what happened and which command or place helps', () => {
    const commands = read('docs/reference/commands.md');
    const rules = listRules();
    assert.ok(rules.length > 10);
    for (const { alert, annotations } of rules) {
      assert.ok(annotations.summary.length > 20 && annotations.action.length > 10, alert);
      for (const [, command = ''] of annotations.action.matchAll(/"(courier [a-z]+)/g)) {
        assert.match(commands, new RegExp(`^##+ ${command}`, 'm'), command);
      }
    }
  });
});
