import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import type { Reference } from '../submission/ids.ts';
import { openRateLimits } from './limiter.ts';

const ref = (n: number) => `R-${n}` as Reference;

describe('the job-status cache', () => {
  for (const dialect of TEST_DIALECTS) {
    test(`a status that one process records is visible to every process (${dialect})`, async (t) => {
      const url = emptyDatabaseUrl(t, dialect);
      const clock = { at: 1_800_000_000_000 };
      const open = async (account: string) => {
        const store = await openRateLimits(url, { now: () => clock.at });
        t.after(() => store.close());
        return store.getJobStatusCache(account);
      };
      const one = await open('main');
      const other = await open('main');
      const hundred = Array.from({ length: 100 }, (_, n) => ({
        reference: ref(n),
        state: 'queued',
        allCompleted: null,
      }));
      await one.record(hundred, 1_000);
      await one.record([{ reference: ref(7), state: 'processing', allCompleted: false }], 2_000);
      assert.deepEqual(await other.get([ref(7), ref(200)]), [
        { reference: ref(7), state: 'processing', allCompleted: false, at: 2_000 },
      ]);
      assert.deepEqual(await (await open('another')).get([ref(7)]), [], 'accounts are separate');
      // The latest request wins, not the latest response.
      await other.record([{ reference: ref(7), state: 'queued', allCompleted: null }], 1_500);
      assert.equal((await one.get([ref(7)]))[0]?.state, 'processing');
      await one.record([{ reference: ref(300), state: 'completed', allCompleted: true }], clock.at);
      assert.equal((await other.get([ref(300)]))[0]?.allCompleted, true);
      assert.deepEqual(await one.get([ref(7)]), [], 'an entry expires after an hour');
    });

    test(`one process at a time polls for an account, and the lease of a dead process expires (${dialect})`, async (t) => {
      const url = emptyDatabaseUrl(t, dialect);
      const clock = { at: 1_800_000_000_000 };
      const store = await openRateLimits(url, { now: () => clock.at });
      t.after(() => store.close());
      const [one, other, elsewhere] = ['main', 'main', 'another'].map((account) => store.getJobStatusCache(account));
      const turn = await one!.acquireLease();
      assert.ok(turn !== null);
      assert.equal(await other!.acquireLease(), null);
      assert.ok((await elsewhere!.acquireLease()) !== null);
      await turn.end();
      assert.ok((await other!.acquireLease()) !== null);
      await turn.end();
      assert.equal(await one!.acquireLease(), null, 'ending an expired lease does not end the current one');
      clock.at += 15_000;
      assert.ok((await one!.acquireLease()) !== null);
    });

    test(`what a clock that was ahead has left counts as nothing (${dialect})`, async (t) => {
      const url = emptyDatabaseUrl(t, dialect);
      const clock = { at: 1_800_000_000_000 };
      const store = await openRateLimits(url, { now: () => clock.at });
      t.after(() => store.close());
      const cache = store.getJobStatusCache('main');
      clock.at += 26 * 3_600_000;
      await cache.record([{ reference: ref(1), state: 'processing', allCompleted: null }], clock.at);
      assert.ok((await cache.acquireLease()) !== null);
      clock.at -= 26 * 3_600_000;
      assert.deepEqual(await cache.get([ref(1)]), []);
      assert.ok((await cache.acquireLease()) !== null, 'the process that had the lease is gone');
      await cache.record([{ reference: ref(1), state: 'completed', allCompleted: true }], clock.at);
      assert.equal((await cache.get([ref(1)]))[0]?.state, 'completed');
    });
  }
});
