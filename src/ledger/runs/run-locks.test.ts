import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testLedger } from '../../../test/support/ledger.ts';
import type { WatchId } from '../../submission/ids.ts';
import { lockRuns, type RunHolder, unlockRuns } from './run-locks.ts';

const shop = 'shop' as WatchId;
const blog = 'blog' as WatchId;
const holder = (nonce: string): RunHolder => ({ host: 'h', pid: 1, nonce });
const nobodyGone = () => false;

describe('run locks', () => {
  testLedger('one command at a time locks watches, all of them or none', async (ledger) => {
    const lock = (nonce: string, watches: WatchId[]) => lockRuns(ledger, watches, holder(nonce), 20_000, nobodyGone);
    assert.equal((await lock('a', [shop])).kind, 'locked');
    assert.deepEqual(await lock('b', [blog, shop]), { kind: 'held', watch: shop, holder: holder('a') });
    assert.equal((await lock('c', [blog])).kind, 'locked', 'what was refused has locked nothing');
    await unlockRuns(ledger, [shop], holder('b'));
    assert.equal((await lock('b', [shop])).kind, 'held', 'only the holder gives a lock back');
    await unlockRuns(ledger, [shop], holder('a'));
    assert.equal((await lock('b', [shop])).kind, 'locked');
  });

  testLedger('a lock expires unless renewed, and ends at once when its holder is gone', async (ledger) => {
    const lock = (nonce: string, isGone = nobodyGone) => lockRuns(ledger, [shop], holder(nonce), 20_000, isGone);
    await lock('a');
    ledger.pass(15_000);
    assert.equal((await lock('a')).kind, 'locked', 'renewed');
    ledger.pass(15_000);
    assert.equal((await lock('b')).kind, 'held');
    ledger.pass(5_000);
    assert.equal((await lock('b')).kind, 'locked');
    assert.equal((await lock('c', () => true)).kind, 'locked');
  });

  testLedger('one of two commands that start at the same time gets the lock', async (ledger) => {
    const locks = await Promise.all(
      ['a', 'b', 'c'].map((nonce) => lockRuns(ledger, [blog, shop], holder(nonce), 20_000, nobodyGone)),
    );
    assert.deepEqual(locks.map(({ kind }) => kind).toSorted(), ['held', 'held', 'locked']);
  });
});
