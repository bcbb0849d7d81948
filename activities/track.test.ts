import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { getAccountStatus } from '../src/ledger/money/account-status.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import { getUrlHistory } from '../src/ledger/reports/url-history.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { always, failure, success } from '../test/fakes/service/replies.ts';
import { testOnEachDialect } from '../test/support/database.ts';
import { ACCOUNT, shopUrl } from '../test/support/ledger.ts';
import { createTestConnector } from '../test/support/test-connector.ts';

const TRACKED =
  'price_per_url: 0.25 TRY, tracking: { standard: { first: 1m, min: 1m, max: 10m, growth: 2, timeout: 1d } }';

describe('a job reported as partial while URLs are open', () => {
  const scene = (polls: number) => ({
    list: always(success({ submissions: [], total: 0 })),
    detail: (n: number, reference: string) =>
      success({
        reference,
        status: 'partial',
        urls: [
          { url: shopUrl('1'), status: 'completed' },
          { url: shopUrl('2'), status: n < polls ? 'pending' : 'completed' },
        ],
      }),
  });

  for (const [what, polls, state] of [
    ['is polled again until each has a result', 8, 'completed'],
    ['is settled after some polls, and the open URL counts as bought', 10_000, 'known'],
  ] as const) {
    testOnEachDialect(what, async (t, dialect) => {
      const { baseUrl } = await startFakeService(t, { overrides: scene(polls) });
      const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
      await connector.plan('r1', ['1', '2']);
      const { ended } = await connector.play();
      assert.ok(ended);
      const [batch] = await listBatches(connector.ledger);
      assert.equal(batch?.jobState, 'partial');
      assert.equal((await getUrlHistory(connector.ledger, shopUrl('2')))[0]?.state, state);
    });
  }
});

describe('an account that waits for funds', () => {
  testOnEachDialect('is suspended as long as one batch waits, and no longer', async (t, dialect) => {
    let rich = false;
    const overrides = {
      post: (_: number, key: string) => (rich ? success({ reference: `R-${key}` }, 202) : failure(402, 'NO_MONEY')),
      balance: () => success({ balance: rich ? 50 : 0 }),
    };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
    await connector.plan('r1', ['1', '2']);
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal((await getAccountStatus(connector.ledger, ACCOUNT.id)).suspended?.code, 'insufficient_balance');
    rich = true;
    await connector.awaitMoney();
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal((await getAccountStatus(connector.ledger, ACCOUNT.id)).suspended, null);
  });
});
