import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../contract/money.ts';
import { recordService } from '../src/ledger/money/account.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import { getAccountTotals } from '../src/ledger/reports/totals.ts';
import { endRun } from '../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { failure, html, success } from '../test/fakes/service/replies.ts';
import { testOnEachDialect } from '../test/support/database.ts';
import { ACCOUNT, crawled, WATCH } from '../test/support/ledger.ts';
import { createTestConnector, type TestConnector } from '../test/support/test-connector.ts';

const PRICE = 'price_per_url: 0.25 TRY';

let runs = 0;

/** Plans this many batches of three URLs, as if no cap had been set. */
async function planWithoutCaps({ ledger }: TestConnector, baseUrl: string, batches: number, watch = WATCH.id) {
  for (let n = 0; n < batches; n++) {
    const run = `plan-${++runs}`;
    const site = { [run]: [1, 2, 3].map((page) => `${run}/${page}`) };
    await crawled(ledger, run, site, { watch, complete: false });
    const policy = { account: { ...ACCOUNT, baseUrl }, watch: { ...WATCH, id: watch } };
    await planRun(ledger, run as RunId, policy);
    await endRun(ledger, run as RunId, 'finished');
  }
}

describe('a batch that cannot be sent is postponed', () => {
  testOnEachDialect('twelve batches of a removed watch are withdrawn and block no other watch', async (t, dialect) => {
    const { baseUrl, counts } = await startFakeService(t, {});
    const connector = await createTestConnector(t, { baseUrl, account: PRICE, dialect });
    await planWithoutCaps(connector, baseUrl, 12, 'gone' as WatchId);
    await connector.plan('r1', ['1', '2']);
    await connector.play({ sendOnly: true });
    const states = (await listBatches(connector.ledger)).map(({ state, watch }) => `${watch} ${state}`);
    assert.equal(states.filter((each) => each === 'gone cancelled').length, 12);
    assert.equal(states.filter((each) => each === 'shop accepted').length, 1);
    assert.deepEqual([counts.post, counts.balance], [1, 1], 'one purchase, and the balance before it');
    assert.equal((await getAccountTotals(connector.ledger, ACCOUNT.id)).committed, 0);
  });

  testOnEachDialect('twelve batches over a cap wait without a request, and a later one is sent', async (t, dialect) => {
    const { baseUrl, counts } = await startFakeService(t, {});
    const connector = await createTestConnector(t, {
      baseUrl,
      account: PRICE,
      watch: 'spend: { per_day: 1 TRY }',
      dialect,
    });
    await planWithoutCaps(connector, baseUrl, 12);
    assert.equal((await connector.send()).kind, 'sent');
    const before = { ...counts };
    for (let turn = 0; turn < 5; turn++) {
      await assert.rejects(connector.send(), (error) => isRetryLater(error));
    }
    assert.deepEqual(counts, before, 'no request while the cap allows nothing');
    connector.pass(86_400_000);
    assert.equal((await connector.send()).kind, 'sent', 'the next day has a cap of its own');
  });

  testOnEachDialect('a batch whose lookup fails waits, and the others are sent', async (t, dialect) => {
    let conflicts = 0;
    const overrides = {
      post: (n: number, key: string) =>
        n === 1 && conflicts++ === 0 ? failure(409, 'idempotency_conflict') : success({ reference: `R-${key}` }, 202),
      // The comparison before the first purchase still works.
      list: (n: number) => (n === 1 ? null : failure(500, 'SEARCH_IS_DOWN')),
    };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: PRICE, dialect });
    await planWithoutCaps(connector, baseUrl, 3);
    const { ledger } = connector;
    for (let turn = 0; turn < 3; turn++) await connector.send();
    const states = (await listBatches(ledger)).map(({ state }) => state);
    assert.deepEqual(states.toSorted(), ['accepted', 'accepted', 'sending']);
    const [waiting] = (await listBatches(ledger)).filter(({ state }) => state === 'sending');
    assert.match(waiting?.reason ?? '', /conflict/, 'why it is looked up stays on record');
  });

  testOnEachDialect('a lookup that fails once is repeated within seconds', async (t, dialect) => {
    const overrides = {
      post: (n: number) => (n === 1 ? failure(409, 'idempotency_conflict') : null),
      // The comparison before the first purchase works, the first lookup fails.
      list: (n: number) => (n === 2 ? html(200) : null),
    };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: PRICE, dialect });
    await planWithoutCaps(connector, baseUrl, 1);
    await connector.send();
    const startedAt = connector.ledger.now();
    await assert.rejects(connector.send(), (error) => isRetryLater(error));
    const [batch] = await listBatches(connector.ledger);
    assert.equal(batch?.notBefore, startedAt + 2_000);
  });
});

describe('the balance shows unreported charges', () => {
  testOnEachDialect('an unannounced price rise is detected with the first batch', async (t, dialect) => {
    let balance = 2_000;
    let price = 0.25;
    const overrides = {
      post: (_: number, key: string) => {
        balance -= 3 * price;
        return success({ reference: `R-${key}` }, 202);
      },
      balance: () => success({ balance }),
    };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: PRICE, dialect });
    await planWithoutCaps(connector, baseUrl, 1, 'shop' as WatchId);
    await connector.send();
    price = 0.5;
    await planWithoutCaps(connector, baseUrl, 3);
    await connector.send();
    await connector.send();
    const charges = (await listBatches(connector.ledger)).flatMap(({ charge }) => (charge === null ? [] : [charge]));
    assert.deepEqual(
      charges.toSorted((a, b) => a - b),
      [750_000, 1_500_000, 1_500_000],
    );
    const totals = await getAccountTotals(connector.ledger, ACCOUNT.id);
    assert.equal(totals.price.standard.perUrl, 500_000);
  });
});

describe('a floor', () => {
  testOnEachDialect(
    'reads the balance before sending, and sends nothing while it is unreadable',
    async (t, dialect) => {
      let readable = false;
      const overrides = { balance: () => (readable ? success({ balance: 101 }) : html(200)) };
      const { baseUrl, counts } = await startFakeService(t, { overrides });
      const account = `${PRICE}, spend: { balance_floor: 100 TRY }`;
      const connector = await createTestConnector(t, { baseUrl, account, dialect });
      await connector.plan('r1', ['1', '2']);
      assert.equal((await connector.send()).kind, 'suspended');
      assert.equal(counts.post, 0);
      assert.ok(counts.balance >= 1);
      await assert.rejects(connector.awaitMoney(), (error) => isRetryLater(error));
      readable = true;
      await connector.awaitMoney();
      assert.equal((await connector.send()).kind, 'sent');
      assert.equal((await getAccountTotals(connector.ledger, ACCOUNT.id)).balance, 101_000_000 as Micros);
    },
  );
});

describe('an account belongs to one service', () => {
  testOnEachDialect('a ledger whose account names another service sends nothing', async (t, dialect) => {
    const { baseUrl, counts } = await startFakeService(t, {});
    const connector = await createTestConnector(t, { baseUrl, account: PRICE, dialect });
    const sandbox = 'https://sandbox.example/api/v1';
    await planWithoutCaps(connector, sandbox, 1);
    await recordService(connector.ledger.db, { id: ACCOUNT.id, baseUrl: sandbox });
    const step = await connector.send();
    assert.equal(step.kind, 'suspended');
    assert.match(
      step.kind === 'suspended' ? step.reason : '',
      /belongs to https:\/\/sandbox.example.*another service/s,
    );
    await assert.rejects(connector.awaitMoney(), (error) => isRetryLater(error));
    await assert.rejects(connector.plan('r2', ['9']), /OTHER_SERVICE|belongs to/);
    assert.deepEqual([counts.post, counts.balance], [0, 0]);
  });
});
