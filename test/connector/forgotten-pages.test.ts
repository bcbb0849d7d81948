/** A site that is forgotten and comes back, from the crawl to the service: what the service charges does not change. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { forgetPages } from '../../src/ledger/forgotten/forget-pages.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { createSeededProfile } from '../fakes/service/profiles/seeded.ts';
import { testOnEachDialect } from '../support/database.ts';
import { createTestConnector, KEY } from '../support/test-connector.ts';

const ACCOUNT =
  'price_per_url: 0.20 TRY, tracking: { standard: { first: 1m, min: 1m, max: 5m, growth: 1.5, timeout: 1d } }';

describe('forgotten pages that a sitemap lists again', () => {
  testOnEachDialect('are not charged again, and what is new is', async (t, dialect) => {
    let now = () => 0;
    const profile = createSeededProfile(1);
    const service = await startFakeService(t, { profile, apiKey: KEY, now: () => now(), priceKurus: 20 });
    const account = [ACCOUNT, profile.account].filter(Boolean).join(', ');
    const watch = 'service: standard, first_run: submit';
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl, account, watch, dialect });
    now = connector.now;
    const run = async (name: string, pages: readonly string[]) => {
      await connector.plan(name, pages);
      const { ended, messages } = await connector.play({ steps: 200, before: () => service.finish('completed') });
      assert.ok(ended, messages.join(' | '));
    };
    await run('r1', ['1', '2']);
    const selection = { kind: 'host', host: 'shop.example' } as const;
    const { pages } = await forgetPages(connector.ledger, { selection, configured: [] });
    assert.equal(pages, 2);
    await run('r2', ['1', '2', '3']);
    assert.deepEqual([...service.charges].sort(), [
      ['https://shop.example/1', 1],
      ['https://shop.example/2', 1],
      ['https://shop.example/3', 1],
    ]);
  });
});
