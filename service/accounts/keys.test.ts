import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { sql } from '../../src/database/sql.ts';
import { serviceTest } from '../../test/support/service.ts';
import { AccountError, type AccountId } from './account.ts';
import { createKey, listEndedKeys, listLiveKeys, MAX_NEW_KEYS, regenerateKey, revokeKey } from './keys.ts';

const HOUR_MS = 3_600_000;

describe('keys of an account', () => {
  serviceTest('a customer cannot renew the budgets at will by making keys', async ({ db }) => {
    const { id } = await db.one(sql<{ id: AccountId }>`SELECT id FROM accounts`);
    let now = Date.now() + 48 * HOUR_MS;
    const make = () =>
      db.tx((tx) => createKey(tx, { account: id, name: 'shop', byCustomer: true }, now)).then(({ id: key }) => key);
    let made = 0;
    let last = '';
    for (; made < MAX_NEW_KEYS; made++) {
      if (made > 0) await revokeKey(db, last, now);
      last = await make();
    }
    const refused = (error: unknown) => error instanceof AccountError && error.code === 'key_pace';
    await assert.rejects(make(), refused);
    const renew = () => db.tx((tx) => regenerateKey(tx, { id: last, account: id, byCustomer: true }, now));
    await assert.rejects(renew(), refused, 'a regenerated key is a new one');
    assert.equal((await listLiveKeys(db, id, now)).length, 2, 'and nothing was ended for it');
    const helped = await db.tx((tx) => createKey(tx, { account: id, name: 'by the operator' }, now));
    assert.ok(helped.apiKey);
    now += 25 * HOUR_MS;
    assert.equal((await renew()).name, 'shop');
  });

  serviceTest('are listed as live until they expire or are revoked, then as ended', async ({ db }) => {
    const { id } = await db.one(sql<{ id: AccountId }>`SELECT id FROM accounts`);
    const now = Date.now();
    const make = (name: string, expiresAt: number | null) =>
      db.tx((tx) => createKey(tx, { account: id, name, expiresAt }, now));
    await make('expiring', now + HOUR_MS);
    const revoked = await make('revoked', null);
    await revokeKey(db, revoked.id, now);
    const names = (keys: readonly { readonly name: string }[]) => keys.map(({ name }) => name).toSorted();
    assert.deepEqual(names(await listLiveKeys(db, id, now)), ['API key', 'expiring']);
    assert.deepEqual(names(await listLiveKeys(db, id, now + HOUR_MS)), ['API key']);
    assert.deepEqual(names(await listEndedKeys(db, id, now, 10)), ['revoked']);
    assert.deepEqual(names(await listEndedKeys(db, id, now + HOUR_MS, 10)), ['expiring', 'revoked']);
  });
});
