import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testOnEach } from '../../test/support/database.ts';
import { openLedger } from './open-ledger.ts';

describe('open ledger', () => {
  testOnEach('a ledger keeps its id, whoever opens it first', async (_db, _t, url) => {
    const opened = await Promise.all([openLedger(url), openLedger(url)]);
    const again = await openLedger(url);
    const other = await openLedger('sqlite::memory:');
    assert.match(again.id, /^[0-9a-z]{8}$/);
    assert.deepEqual(
      opened.map(({ id }) => id),
      [again.id, again.id],
    );
    assert.notEqual(other.id, again.id);
    await Promise.all([...opened, again, other].map((ledger) => ledger.close()));
  });
});
