import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { loadConfigFiles } from './load.ts';
import { ConfigSchema } from './schema.ts';
import { type Environment, listSettings } from './settings.ts';

const CONFIG = `version: 1
accounts:
  main:
    base_url: https://indexing.example/api/v1
    api_key: { file: courier.key }
    price_per_url: { standard: "0.250", fast: 0.5 TRY }
defaults:
  schedule: { cron: "30 4 * * *" }
  guard: { max_new: 10 }
watches:
  shop:
    account: main
    sitemaps: [https://user:canary-1@shop.example/sitemap.xml]
    headers: { authorization: Basic canary-2, cookie: { env: SHOP_COOKIE } }
    guard: { max_gone_percent: 30 }
    spend: { per_run: "1500" }
    ping: https://hc.example/canary-5
ledger: { url: "postgres://courier:canary-3@db.internal/courier" }
notify: { channels: { team: { slack: { url: "https://hooks.slack.example/services/canary-6" } } } }
`;

function show(t: TestContext, environment: Environment = { address: null, namespace: null }) {
  const parent = mkdtempSync(join(tmpdir(), 'settings-'));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  // Looks like a key.
  const folder = join(parent, 'usk_4Jq8Zt2LmVx9Rw7Ks3Bn');
  mkdirSync(folder);
  const file = join(folder, 'courier.yaml');
  writeFileSync(file, CONFIG);
  writeFileSync(join(folder, 'courier.key'), 'canary-4\n');
  const settings = listSettings(loadConfigFiles(file), environment);
  return {
    text: JSON.stringify(settings),
    keys: settings.map(({ key }) => key),
    get: (key: string) => {
      const { value, origin, line } = settings.find((each) => each.key === key) ?? assert.fail(`no ${key}`);
      return [value?.replace(folder, '.'), line ?? origin];
    },
  };
}

describe('the settings in force', () => {
  test('name the line that they come from, or that they are a default', (t) => {
    const { get } = show(t);
    assert.deepEqual(
      get('accounts.main.price_per_url'),
      ['{ standard: 0.25 TRY, fast: 0.50 TRY }', 6],
      'as everywhere',
    );
    assert.deepEqual(get('accounts.main.spend.balance_floor'), ['0.00 TRY', 'default']);
    assert.deepEqual(get('watches.shop.spend.per_run'), ['1500.00 TRY', 16]);
    assert.deepEqual(get('accounts.main.limits.requests.minute'), ['120', 'default']);
    assert.deepEqual(get('watches.shop.account'), ['main', 12]);
    assert.deepEqual(get('watches.shop.project'), ['shop', 'default'], 'the name of the watch');
    assert.deepEqual(get('watches.shop.hosts'), ['[shop.example]', 'default'], 'the hosts of the sitemaps');
    assert.deepEqual(get('watches.shop.schedule.cron'), ['30 4 * * *', 8], 'in "defaults"');
    assert.deepEqual(get('watches.shop.schedule.timezone'), ['UTC', 'default']);
    assert.deepEqual(get('watches.shop.index_check'), [undefined, 'default'], 'no index checks');
    assert.deepEqual(get('temporal.address'), ['a local server', 'default']);
  });

  test('a group of the watch replaces that of defaults as a whole, as in a run', (t) => {
    const { get } = show(t);
    assert.deepEqual(get('watches.shop.guard.max_gone_percent'), ['30', 15]);
    assert.deepEqual(get('watches.shop.guard.max_new'), [undefined, 'default']);
  });

  test('show no secret: not of a file, an address, a header or a database', (t) => {
    const { text, get } = show(t);
    assert.doesNotMatch(text, /canary/);
    assert.deepEqual(get('accounts.main.api_key'), ['{ file: ./courier.key } (is set)', 5]);
    assert.deepEqual(get('watches.shop.headers'), ['{ authorization: "[secret]", cookie: { env: SHOP_COOKIE } }', 14]);
    assert.deepEqual(get('ledger.url'), ['postgres://[secret]@db.internal/courier', 18]);
    assert.deepEqual(get('watches.shop.ping'), ['https://hc.example/[secret]', 17]);
  });

  test('include every section of the schema', (t) => {
    const { keys } = show(t);
    assert.deepEqual(keys, [...new Set(keys)], 'each setting once');
    const shown = new Set(keys.map((key) => key.split('.')[0]));
    const sections = Object.keys(ConfigSchema.properties).filter((name) => name !== 'version' && name !== 'defaults');
    assert.deepEqual([...shown].toSorted(), sections.toSorted());
  });

  test('take the Temporal server of the environment where the configuration names none', (t) => {
    const { get } = show(t, { address: 'temporal.internal:7233', namespace: null });
    assert.deepEqual(get('temporal.address'), ['temporal.internal:7233', 'environment']);
    assert.deepEqual(get('temporal.namespace'), ['default', 'default']);
  });
});
