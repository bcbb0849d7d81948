import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testLedger } from '../../../test/support/ledger.ts';
import type { AccountId } from '../../submission/ids.ts';
import { endServiceWait, findServiceWait, recordServiceWait } from './service-waits.ts';

const MAIN = 'main' as AccountId;

describe('what an account waits for', () => {
  testLedger('is the last answer, however often no request is allowed after it', async (ledger) => {
    const began = ledger.now();
    await recordServiceWait(ledger, MAIN, { why: 'no connection', limited: false, waitMs: 2_000 });
    ledger.pass(2_000);
    await recordServiceWait(ledger, MAIN, { why: 'status 429', limited: false, waitMs: 3_600_000 });
    ledger.pass(1_000);
    await recordServiceWait(ledger, MAIN, { why: 'no request is allowed', limited: true, waitMs: 3_599_000 });
    assert.deepEqual(await findServiceWait(ledger.db, MAIN), {
      why: 'status 429',
      since: began,
      at: began + 2_000,
      until: began + 3_602_000,
    });
    assert.equal(await findServiceWait(ledger.db, 'other' as AccountId), null);
    await endServiceWait(ledger.db, MAIN);
    assert.equal(await findServiceWait(ledger.db, MAIN), null);
  });
});
