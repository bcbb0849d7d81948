/**
 * What `doctor --learn` decides of services that keep the specification and share nothing else with ours, by seed: all of it is
 * true. Which settings they need is known here, because their profiles have them. COURIER_TEST_SEEDS=1000 plays more seeds.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { normalizeName } from '../../src/api-client/read/fields.ts';
import { loadConfigText } from '../../src/config/load.ts';
import { learnService } from '../../src/connector/learn/learn-service.ts';
import type { Proposal } from '../../src/connector/learn/learned.ts';
import { toBlock } from '../../src/connector/learn/to-block.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { normalizeStatus } from '../../src/submission/status-map.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { createSeededProfile, type SeededProfile } from '../fakes/service/profiles/seeded.ts';
import { createTestConnector, KEY } from '../support/test-connector.ts';
import { SEEDS } from './seeded-scene.ts';

interface Truth {
  readonly field_names?: Readonly<Record<string, readonly string[]>>;
  readonly status_map?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly amounts?: string;
}

/** Three jobs of several URLs that have ended in different states, and one that is open. */
async function learn(t: TestContext, profile: SeededProfile) {
  const service = await startFakeService(t, { profile, apiKey: KEY, balanceKurus: 123_456_50, priceKurus: 20 });
  const { ledger } = await createTestConnector(t, { baseUrl: service.baseUrl });
  for (const [n, state] of (['completed', 'failed', 'partial', 'queued'] as const).entries()) {
    const urls = Array.from({ length: 2 * n + 3 }, (_, at) => `https://shop.example/${n}/${at}`);
    service.submit(`by-hand-${n}`, JSON.stringify({ urls, project: 'By hand' }));
    if (state !== 'queued') service.finish(state);
  }
  process.env.COURIER_TEST_API_KEY = KEY;
  const account = { base_url: service.baseUrl, api_key: { env: 'COURIER_TEST_API_KEY' } };
  const file = { version: 1, accounts: { main: account }, watches: {} };
  const { config, merged } = loadConfigText(stringify(file), '/courier.yaml');
  const main = config.accounts.get('main' as AccountId) ?? assert.fail();
  const { proposals } = await learnService({ ...config, ledgerUrl: 'sqlite::memory:' }, ledger, main, t.signal);
  const block = toBlock('main', merged.raw.accounts.main ?? assert.fail(), proposals);
  const pasted = { ...account, ...(parse(block ?? '') as { accounts: { main: object } } | null)?.accounts.main };
  loadConfigText(stringify({ ...file, accounts: { main: pasted } }), '/courier.yaml');
  assert.ok(
    service.requests.every((request) => request.startsWith('GET ')),
    'nothing is bought',
  );
  return proposals;
}

/** Whether a decided proposal is what the profile's own settings say. */
function isTrue({ setting, values }: Proposal, truth: Truth): boolean {
  const [section = '', subject = '', meaning = ''] = setting.split('.');
  const [value = ''] = values.map(String);
  if (section === 'amounts') return truth.amounts === value;
  if (section === 'field_names')
    return (truth.field_names?.[subject] ?? []).some((name) =>
      normalizeName(value).split('.').includes(normalizeName(name)),
    );
  const words = truth.status_map?.[subject]?.[meaning] ?? [];
  return section !== 'status_map' || words.some((word) => normalizeStatus(word) === normalizeStatus(value));
}

describe('what is learned of a service with a random profile', () => {
  const needing = { services: 0, all: 0, settings: 0, decided: 0 };
  for (const seed of SEEDS) {
    test(`seed ${seed}: every setting that is decided is true, and the checker takes the block`, async (t) => {
      const profile = createSeededProfile(seed);
      const truth = parse(`{ ${profile.account} }`) as Truth;
      const proposals = await learn(t, profile);
      const decided = proposals.filter((proposal) => proposal.decided);
      const wrong = decided.filter((proposal) => !isTrue(proposal, truth));
      assert.deepEqual(wrong, [], JSON.stringify(profile.chosen));
      if (proposals.length === 0) return;
      needing.services += 1;
      needing.all += decided.length === proposals.length ? 1 : 0;
      needing.settings += proposals.length;
      needing.decided += decided.length;
      const open = proposals
        .filter((proposal) => !proposal.decided)
        .map(({ setting, values }) => `${setting} ${values}`);
      if (open.length > 0) t.diagnostic(`asked: ${open.join('; ')} ${JSON.stringify(profile.chosen)}`);
    });
  }

  test('most of the settings that a service needs are decided', (t) => {
    t.diagnostic(JSON.stringify(needing));
    assert.ok(needing.decided * 2 > needing.settings, JSON.stringify(needing));
  });
});
