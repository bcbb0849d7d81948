import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, testLedger } from '../../../test/support/ledger.ts';
import { confirmAccount } from './confirm-account.ts';
import { getPrice, learnPrice } from './price.ts';

const NO_PRICES = { standard: null, fast: null };
const price = (amount: number) => ({ standard: amount as Micros, fast: null });

describe('confirm account', () => {
  testLedger('an account is identified at first contact, and later by the same field', async (ledger) => {
    const confirm = (identity: string | null) => confirmAccount(ledger, ACCOUNT.id, { identity, prices: NO_PRICES });
    assert.equal((await confirm(null)).kind, 'same', 'a service that shows none');
    assert.equal((await confirm('accountid=42')).kind, 'same');
    assert.equal((await confirm('accountid=42')).kind, 'same');
    assert.equal((await confirm(null)).kind, 'same');
    assert.deepEqual(await confirm('accountid=43'), { kind: 'other', recorded: 'accountid=42', shown: 'accountid=43' });
    assert.equal(
      (await confirm('useremail=a@shop.example')).kind,
      'same',
      'a service that begins to show another field',
    );
    assert.equal((await confirm('useremail=b@shop.example')).kind, 'other');
  });

  testLedger('a shown price fills a gap or raises a price, and never lowers a charged one', async (ledger) => {
    const shown = (amount: number) => confirmAccount(ledger, ACCOUNT.id, { identity: null, prices: price(amount) });
    const known = async () => (await getPrice(ledger.db, ACCOUNT.id, 'standard', null)).perUrl;
    await shown(250_000);
    assert.equal(await known(), 250_000);
    await shown(500_000);
    assert.equal(await known(), 500_000, 'raised before a charge shows it');
    await shown(100_000);
    assert.equal(await known(), 500_000);
    const charge = {
      account: ACCOUNT.id,
      service: 'standard',
      charge: 200_000 as Micros,
      urls: 2,
      at: ledger.now(),
      now: ledger.now(),
    } as const;
    await learnPrice(ledger.db, charge);
    assert.equal(await known(), 100_000, 'a charge does lower it');
    await confirmAccount(ledger, ACCOUNT.id, { identity: null, prices: price(0) });
    assert.equal(await known(), 100_000, 'nothing is free');
  });

  testLedger('prices of another account are not recorded', async (ledger) => {
    await confirmAccount(ledger, ACCOUNT.id, { identity: 'accountid=1', prices: NO_PRICES });
    await confirmAccount(ledger, ACCOUNT.id, { identity: 'accountid=2', prices: price(900_000) });
    assert.equal((await getPrice(ledger.db, ACCOUNT.id, 'standard', null)).perUrl, null);
  });
});
