import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { micros } from '../../../contract/money.ts';
import { type FakeService, startFakeService } from '../../../test/fakes/service/fake-service.ts';
import { type Profile, SHOWS_URLS } from '../../../test/fakes/service/profile.ts';
import { FOREIGN } from '../../../test/fakes/service/profiles/foreign.ts';
import { createTestConnector, KEY } from '../../../test/support/test-connector.ts';
import { loadConfigText } from '../../config/load.ts';
import { recordBalance } from '../../ledger/money/balance.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import type { AccountId } from '../../submission/ids.ts';
import { learnService } from './learn-service.ts';
import { toBlock } from './to-block.ts';

const id = 'main' as AccountId;
type Tree = { [key: string]: Tree | string };

/** A service with this profile, two jobs that somebody bought, and a configuration that knows nothing of it. */
async function openScene(t: TestContext, profile: Profile, options: { jobs?: number; balanceKurus?: number } = {}) {
  const service = await startFakeService(t, { profile, apiKey: KEY, ...options });
  process.env.COURIER_TEST_API_KEY = KEY;
  const { ledger } = await createTestConnector(t, { baseUrl: service.baseUrl });
  for (let n = 1; n <= (options.jobs ?? 2); n++) {
    const urls = Array.from({ length: 2 * n + 1 }, (_, at) => `https://shop.example/${n}/${at}`);
    service.submit(`by-hand-${n}`, JSON.stringify({ urls, project: 'By hand' }), false);
  }
  const account: Tree = { base_url: service.baseUrl, api_key: { env: 'COURIER_TEST_API_KEY' } };
  const learn = async (settings: Tree) => {
    const file = { version: '1', accounts: { main: settings }, watches: {} };
    const { config, merged } = loadConfigText(stringify({ ...file, version: 1 }), '/courier.yaml');
    const learned = await learnService(
      { ...config, ledgerUrl: 'sqlite::memory:' },
      ledger,
      config.accounts.get(id)!,
      t.signal,
    );
    return { ...learned, block: toBlock('main', merged.raw.accounts.main!, learned.proposals) };
  };
  return { service, ledger, account, learn };
}

/** The settings of the account after the block was pasted. */
const paste = (account: Tree, block: string | null): Tree => ({
  ...account,
  ...(parse(block ?? '') as { accounts: { main: Tree } }).accounts.main,
});

const listPosts = ({ requests }: FakeService) => requests.filter((request) => !request.startsWith('GET '));

describe('learnService', () => {
  test('shows where each value of a known service was read, and proposes nothing', async (t) => {
    const { service, account, learn } = await openScene(t, SHOWS_URLS);
    const { readings, proposals, failures } = await learn(account);
    assert.deepEqual([proposals, failures], [[], []]);
    const sources = new Map(
      readings.map(({ request, value, path, read }) => [`${request} ${value}`, `${path} ${read}`]),
    );
    assert.equal(sources.get('GET /balance balance'), 'data.balance, data.currency 999998.00 TRY');
    assert.equal(sources.get('GET /me account'), 'data.user.id userid=5');
    assert.equal(sources.get('GET /submissions reference'), 'data.submissions[0].reference R-2');
    assert.equal(sources.get('GET /submissions charge'), 'data.submissions[0].charged 1.25 TRY');
    assert.equal(sources.get('GET /submissions total'), 'data.pagination.total 2');
    assert.equal(sources.get('GET /submissions/{reference} url'), 'data.urls[0].url https://shop.example/2/0');
    assert.equal(sources.get('GET /submissions jobs'), 'data.submissions 2');
    assert.equal(sources.get('GET /submissions/{reference} reference'), 'data.reference R-2');
    assert.deepEqual(listPosts(service), [], 'nothing is bought');
  });

  test('proposes names, words and the form of amounts, which the checker takes and which then leave nothing to propose', async (t) => {
    const { service, ledger, account, learn } = await openScene(t, FOREIGN, { balanceKurus: 200_000_00 });
    service.finish('partial');
    await recordBalance(ledger, id, micros(199_998_000_000));
    const { proposals, block } = await learn(account);
    assert.deepEqual(
      proposals.map(({ setting, values, decided }) => [setting, values.join(), decided]),
      [
        ['field_names.balance', 'hesap.kullanilabilir', true],
        ['field_names.jobs', 'is_emirleri', true],
        ['field_names.reference', 'is_no', true],
        ['field_names.state', 'durum', true],
        ['field_names.urls', 'adresler', true],
        ['field_names.url', 'adres', true],
        ['field_names.url_state', 'sonuc', true],
        ['status_map.url.failed', 'reddedildi', true],
        ['status_map.url.completed', 'eklendi', true],
        ['amounts', 'decimal_comma', true],
      ],
      JSON.stringify(proposals),
    );
    const again = await learn(paste(account, block));
    assert.deepEqual(again.proposals, []);
    assert.equal(again.readings.find(({ value }) => value === 'balance')?.read, '199998.00 TRY');
    assert.deepEqual(listPosts(service), []);
  });

  test('proposes settings with which the connector buys each page once and reads its results', async (t) => {
    const { service, ledger, account, learn } = await openScene(t, FOREIGN, { balanceKurus: 200_000_00 });
    service.finish('partial');
    await recordBalance(ledger, id, micros(199_998_000_000));
    const { base_url: baseUrl, api_key: _, ...settings } = paste(account, (await learn(account)).block);
    const entries = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const connector = await createTestConnector(t, {
      baseUrl: String(baseUrl),
      account: entries.join(', '),
      watch: 'first_run: submit, retry_failed: { times: 0 }',
    });
    await connector.plan('run-1', ['1', '2', '3', '4', '5']);
    const { ended } = await connector.play({ steps: 200, before: (step) => step > 20 && service.finish('partial') });
    assert.ok(ended);
    const [batch] = await listBatches(connector.ledger);
    assert.deepEqual([batch?.state, batch?.jobState, batch?.completed, batch?.failed], ['accepted', 'partial', 2, 3]);
    assert.deepEqual([...new Set(service.charges.values())], [1]);
  });

  test('proposes limits that its headers have, and asks nothing more of a service that refuses the key', async (t) => {
    const headers = () => ({ 'x-ratelimit-limit-minute': '60', 'x-ratelimit-remaining-minute': '50' });
    const { service, account, learn } = await openScene(t, { ...SHOWS_URLS, headers });
    const { proposals, block } = await learn(account);
    assert.deepEqual(
      proposals.map(({ setting, values }) => [setting, values]),
      [['limits.requests.minute', [60]]],
    );
    assert.deepEqual((await learn(paste(account, block))).proposals, []);
    service.setKeyWorks(false);
    const before = service.requests.length;
    const refused = await learn(account);
    assert.deepEqual(
      refused.failures.map(({ error }) => error.status),
      [401],
    );
    assert.equal(service.requests.length, before + 1);
  });
});
