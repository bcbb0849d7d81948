import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, testLedger } from '../../../test/support/ledger.ts';
import type { AccountId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import { computeCurrentCost, getPrice, learnPrice } from './price.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;

describe('the price of a URL', () => {
  testLedger('is learned for each level of service and for each account by itself', async (ledger) => {
    const { db } = ledger;
    const other = 'second' as AccountId;
    for (const account of [ACCOUNT.id, other]) await db.tx((tx) => lockAccount(tx, account));
    const now = ledger.now();
    const learn = (account: AccountId, service: 'standard' | 'fast', price: number, at: number) =>
      learnPrice(db, { account, service, charge: lira(2 * price), urls: 2, at, now });
    await learn(ACCOUNT.id, 'standard', 0.2, now);
    await learn(ACCOUNT.id, 'fast', 0.9, now + 1);
    await learn(other, 'standard', 0.4, now + 2);
    const price = async (account: AccountId, service: 'standard' | 'fast') =>
      (await getPrice(db, account, service, null)).perUrl;
    assert.equal(await price(ACCOUNT.id, 'standard'), lira(0.2));
    assert.equal(await price(ACCOUNT.id, 'fast'), lira(0.9));
    assert.equal(await price(other, 'standard'), lira(0.4));
    assert.equal(await price(other, 'fast'), null);
  });

  testLedger('is the higher one of what was learned and what is configured, and says which', async (ledger) => {
    const { db } = ledger;
    await db.tx((tx) => lockAccount(tx, ACCOUNT.id));
    const now = ledger.now();
    const get = (configured: number | null) =>
      getPrice(db, ACCOUNT.id, 'fast', configured === null ? null : lira(configured));
    assert.deepEqual(await get(null), { perUrl: null, basis: 'unknown' });
    assert.deepEqual(await get(0.3), { perUrl: lira(0.3), basis: 'configured' });
    await learnPrice(db, { account: ACCOUNT.id, service: 'fast', charge: lira(0.3), urls: 1, at: now, now });
    assert.deepEqual(await get(null), { perUrl: lira(0.3), basis: 'learned' });
    assert.deepEqual(await get(0.3), { perUrl: lira(0.3), basis: 'learned' });
    assert.deepEqual(await get(0.31), { perUrl: lira(0.31), basis: 'configured' });
    assert.deepEqual(await get(0.29), { perUrl: lira(0.3), basis: 'learned' });
  });

  testLedger('raises the cost of a planned batch when it rises, and never lowers it', async (ledger) => {
    const { db } = ledger;
    const cost = (standard: number | null, fast: number | null, expected: number | null) => {
      const pricePerUrl = {
        standard: standard === null ? null : lira(standard),
        fast: fast === null ? null : lira(fast),
      };
      const batch = { service: 'fast', urls: 3, expected_cost: expected === null ? null : lira(expected) } as const;
      return computeCurrentCost(db, batch, { id: ACCOUNT.id, pricePerUrl });
    };
    assert.equal(await cost(9, 0.5, 0.9), lira(1.5));
    assert.equal(await cost(9, 0.2, 0.9), lira(0.9));
    assert.equal(await cost(9, null, 0.9), lira(0.9));
    assert.equal(await cost(9, null, null), null);
    assert.equal(await cost(9, 0.2, null), lira(0.6));
  });

  testLedger('is rounded up from a charge that was rounded', async (ledger) => {
    const { db } = ledger;
    await db.tx((tx) => lockAccount(tx, ACCOUNT.id));
    const now = ledger.now();
    // 37 URLs at 0.9975 TRY, rounded to the kuruş.
    await learnPrice(db, { account: ACCOUNT.id, service: 'fast', charge: lira(36.91), urls: 37, at: now, now });
    assert.equal((await getPrice(db, ACCOUNT.id, 'fast', null)).perUrl, 997_568);
  });

  testLedger('is not learned from a charge of nothing, or for nothing', async (ledger) => {
    const { db } = ledger;
    await db.tx((tx) => lockAccount(tx, ACCOUNT.id));
    const now = ledger.now();
    for (const [charge, urls] of [
      [0 as Micros, 1],
      [lira(-1), 1],
      [lira(1), 0],
    ] as const) {
      await learnPrice(db, { account: ACCOUNT.id, service: 'fast', charge, urls, at: now, now });
      assert.equal((await getPrice(db, ACCOUNT.id, 'fast', null)).perUrl, null, `${charge} for ${urls}`);
    }
  });
});
