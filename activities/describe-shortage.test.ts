import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, parseTry } from '../contract/money.ts';
import { sql } from '../src/database/sql.ts';
import type { WaitingMoney } from '../src/ledger/money/waiting-money.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { failure, success } from '../test/fakes/service/replies.ts';
import { testOnEachDialect } from '../test/support/database.ts';
import { createTestConnector } from '../test/support/test-connector.ts';
import { describeShortage } from './describe-shortage.ts';

const lira = (amount: number) => parseTry(String(amount)) as Micros;
const spend = (balanceFloor = 0) => ({ spend: { perDay: null, perMonth: null, balanceFloor: lira(balanceFloor) } });
const waiting = (over: Partial<WaitingMoney> = {}): WaitingMoney => ({
  batches: 2,
  urls: 4_210,
  cost: lira(1_052.5),
  balance: lira(10),
  reason: { code: 'balance_short', left: lira(10), cost: lira(1_000) },
  ...over,
});

describe('what an account waits for', () => {
  test('is the money that is missing for all that is planned', () => {
    assert.equal(
      describeShortage(waiting(), spend()),
      '1,042.50 TRY missing: 1,052.50 TRY for 2 batches (4,210 URLs), the balance is 10.00 TRY',
    );
  });

  test('counts a floor as money that is missing', () => {
    assert.match(describeShortage(waiting(), spend(100)), /^1,142\.50 TRY missing: .* above a floor of 100\.00 TRY$/);
  });

  test('is a cap with its sentence, where money would not help', () => {
    const reason = {
      code: 'cap_reached',
      scope: 'watch',
      period: 'day',
      limit: lira(1),
      left: lira(0),
      cost: lira(5),
    } as const;
    assert.match(
      describeShortage(waiting({ reason }), spend()),
      /^1,052\.50 TRY for 2 batches .* waiting: the cap watch per day/,
    );
  });

  test('names no sum that nobody knows', () => {
    assert.doesNotMatch(describeShortage(waiting({ cost: null }), spend()), /missing|null/);
    assert.equal(
      describeShortage(waiting({ cost: null, reason: null }), spend()),
      '2 batches (4,210 URLs) waiting for the next attempt',
    );
  });
});

describe('a suspended account', () => {
  testOnEachDialect('says what is missing until it is there', async (t, dialect) => {
    let balance = 0.25;
    const overrides = {
      post: () => (balance < 0.75 ? failure(402, 'insufficient_balance') : null),
      balance: () => success({ balance }),
    };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', dialect });
    await connector.plan('r1', ['1', '2', '3']);
    assert.equal((await connector.send()).kind, 'suspended');
    await assert.rejects(connector.awaitMoney(), (error: Error) => {
      assert.ok(isRetryLater(error));
      assert.match(error.message, /^0\.50 TRY missing: 0\.75 TRY for 1 batch \(3 URLs\), the balance is 0\.25 TRY/);
      return true;
    });
    balance = 10;
    await connector.awaitMoney();
  });

  testOnEachDialect('no longer waits for money where a lowered cap is what stops its batch', async (t, dialect) => {
    const { baseUrl } = await startFakeService(t, {
      overrides: { post: () => failure(402, 'insufficient_balance'), balance: () => success({ balance: 1_000 }) },
    });
    const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', dialect });
    await connector.plan('r1', ['1', '2', '3']);
    assert.equal((await connector.send()).kind, 'suspended');
    const { deps } = connector;
    const [watch] = deps.config.watches.values();
    const lowered = { ...watch!, spend: { ...watch!.spend, perRun: 250_000 as Micros } };
    const config = { ...deps.config, watches: new Map([[lowered.id, lowered]]) };
    Object.assign(deps, { config, getWatch: () => lowered });
    await connector.awaitMoney();
    assert.equal((await connector.send()).kind, 'idle');
    const { urls } = await connector.ledger.db.one(sql<{ urls: number }>`
      SELECT count(*) AS urls FROM urls WHERE due IS NOT NULL`);
    assert.equal(urls, 3, 'the batch was taken back');
  });
});
