import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readIdentity } from './identity.ts';

describe('readIdentity', () => {
  test('finds the account in the usual places and never takes it from the key', () => {
    for (const [data, identity] of [
      [{ account: { id: 'acc_1', name: 'Shop' }, api_key: { id: 'key_9' } }, 'accountid=acc_1'],
      [{ user: { email: 'a@shop.example' } }, 'useremail=a@shop.example'],
      [{ account: { account_number: 1234 } }, 'accountnumber=1234'],
      [{ accountId: 'A-1', apiKey: { id: 'K-1' } }, 'accountid=A-1'],
      [{ account: 'acc_1' }, 'accountid=acc_1'],
      [{ id: 7, email: 'a@shop.example', balance: 3 }, 'email=a@shop.example'],
      [{ id: 7, balance: 3 }, 'accountid=7'],
      [{ api_key: { id: 'key_9' }, key: { id: 'key_9' }, wallet: { id: 'w' } }, null],
      [{ account: { name: 'Shop' } }, null],
      [{}, null],
    ] as const) {
      assert.equal(readIdentity(data), identity, JSON.stringify(data));
    }
  });
});
