import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, completeRun, shopUrl, testLedger } from '../../../test/support/ledger.ts';
import type { AccountId } from '../../submission/ids.ts';
import { hasUrlOf } from './history-hold.ts';

const SECOND = 'second' as AccountId;
const THIRD = 'third' as AccountId;

describe('a job with a URL of a watch', () => {
  testLedger('is ours in each account that the watch has been in', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] });
    await completeRun(ledger, 'r2', { a: ['1'] }, { account: SECOND });
    const isOurs = await Promise.all(
      [ACCOUNT.id, SECOND, THIRD].map((account) => hasUrlOf(ledger, account, [shopUrl('1')])),
    );
    assert.deepEqual(isOurs, [true, true, false]);
    assert.equal(await hasUrlOf(ledger, ACCOUNT.id, [shopUrl('2')]), false);
  });
});
