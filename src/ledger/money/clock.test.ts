import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { micros } from '../../../contract/money.ts';
import { ACCOUNT, DAY, testLedger } from '../../../test/support/ledger.ts';
import { lockAccount } from '../accounts/watches.ts';
import { getAccountFigures } from '../reports/account-figures.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { findBalance, needsFreshBalance, recordBalance } from './balance.ts';
import { getPrice, learnPrice } from './price.ts';

const lira = (amount: number) => micros(amount * 1_000_000);

describe('clock', () => {
  testLedger('a balance recorded by a clock a day ahead does not hide later ones', async (ledger) => {
    const floored = { ...ACCOUNT, spend: { ...ACCOUNT.spend, balanceFloor: lira(10) } };
    await recordBalance(ledger, ACCOUNT.id, lira(100), ledger.now() + DAY);
    assert.equal(await needsFreshBalance(ledger, floored), true, 'it is not fresh: it is asked for again');
    for (const shown of [await getAccountTotals(ledger, ACCOUNT.id), await getAccountFigures(ledger, ACCOUNT.id)])
      assert.deepEqual([shown.balance, shown.balanceAt], [lira(100), ledger.now()], 'no time of tomorrow is shown');
    await recordBalance(ledger, ACCOUNT.id, lira(40));
    assert.deepEqual(await findBalance(ledger.db, ACCOUNT.id), { amount: lira(40), at: ledger.now() });
    await recordBalance(ledger, ACCOUNT.id, lira(90), ledger.now() - 1_000);
    assert.equal(
      (await findBalance(ledger.db, ACCOUNT.id))?.amount,
      lira(40),
      'an answer that came late still does not',
    );
  });

  testLedger('a price learned by a clock a day ahead is replaced by the next charge', async (ledger) => {
    const { db } = ledger;
    await db.tx((tx) => lockAccount(tx, ACCOUNT.id));
    const now = ledger.now();
    const learn = (at: number, price: number) =>
      learnPrice(db, { account: ACCOUNT.id, service: 'standard', charge: lira(price), urls: 1, at, now });
    await learn(now + DAY, 9);
    await learn(now, 2);
    assert.equal((await getPrice(db, ACCOUNT.id, 'standard', null)).perUrl, lira(2));
    await learn(now - DAY, 1);
    assert.equal(
      (await getPrice(db, ACCOUNT.id, 'standard', null)).perUrl,
      lira(2),
      'an older charge replaces nothing',
    );
  });
});
