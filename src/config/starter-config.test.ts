import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readConfig } from './load.ts';
import { proposeMaxNew, renderStarterConfig, type StarterWatch } from './starter-config.ts';

const shop: StarterWatch = {
  id: 'shop',
  source: { kind: 'robots', url: 'https://shop.example/robots.txt' },
  hosts: ['shop.example', 'www.shop.example'],
  otherHosts: new Map([['cdn.example', 12]]),
  urls: 4_210,
  withLastmod: 4_000,
  privateHosts: [],
};
const account = { baseUrl: 'https://indexing.example/api/v1', apiKey: { env: 'COURIER_API_KEY' }, price: null };
const rest = { timezone: 'Europe/Istanbul', schema: './courier.schema.json', reference: './configuration.md' };

describe('renderStarterConfig', () => {
  test('is a valid configuration whose first run buys nothing', () => {
    const text = renderStarterConfig({ account, watches: [shop], ...rest });
    const { accounts, watches } = readConfig(text, 'courier.yaml');
    const [watch] = watches.values();
    assert.equal(accounts.get('main' as never)?.baseUrl, account.baseUrl);
    assert.deepEqual(watch?.sources, [shop.source.url]);
    assert.deepEqual(watch?.hosts, shop.hosts);
    assert.equal(watch?.firstRun, 'baseline');
    assert.deepEqual([watch?.guard.maxNew, watch?.guard.maxGonePercent], [250, 30]);
    assert.deepEqual(watch?.schedule, { cron: '30 4 * * *', timezone: 'Europe/Istanbul' });
    assert.match(text, /shop: # 4,210 URLs, 95% with a lastmod/);
    assert.match(text, /not bought: cdn\.example \(12 URLs\)/);
    assert.match(text, /# resubmit/);
  });

  test('proposes to buy changed URLs again only where most have a lastmod', () => {
    const text = renderStarterConfig({ account, watches: [{ ...shop, withLastmod: 100 }], ...rest });
    assert.doesNotMatch(text, /resubmit/);
  });

  test('quotes what YAML would read otherwise', () => {
    const odd = fc.constantFrom(
      'yes',
      'null',
      '12',
      'a: b',
      'a #b',
      '[x]',
      '{x}',
      "it's",
      '- x',
      'ü',
      'a,b',
      '*',
      '&a',
    );
    fc.assert(
      fc.property(fc.oneof(odd, fc.stringMatching(/^[\w./ :#,'"[\]{}-]{1,20}$/)), (file) => {
        const text = renderStarterConfig({ account: { ...account, apiKey: { file } }, watches: [shop], ...rest });
        const { apiKey } = readConfig(text, '/srv/courier.yaml').accounts.get('main' as never)!;
        assert.ok('file' in apiKey && apiKey.file.startsWith('/'));
        assert.ok(text.includes(`file: ${file} }`) || text.includes(`file: ${JSON.stringify(file)} }`));
      }),
    );
  });
});

describe('proposeMaxNew', () => {
  test('is about a twentieth, round, and at least 50', () => {
    const proposed = [0, 10, 999, 4_210, 20_000, 1_000_000].map(proposeMaxNew);
    assert.deepEqual(proposed, [50, 50, 50, 250, 1_000, 50_000]);
  });
});
