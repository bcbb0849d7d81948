import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testLedger } from '../../../test/support/ledger.ts';
import type { AccountId } from '../../submission/ids.ts';
import { endStops, findStop, recordUnanswered } from './stops.ts';

const MAIN = 'main' as AccountId;

describe('what an account waits for', () => {
  testLedger('is the last answer, however often no request is allowed after it', async (ledger) => {
    const began = ledger.now();
    await recordUnanswered(ledger, MAIN, { why: 'no connection', limited: false, waitMs: 2_000 });
    ledger.pass(2_000);
    await recordUnanswered(ledger, MAIN, { why: 'status 429', limited: false, waitMs: 3_600_000 });
    ledger.pass(1_000);
    await recordUnanswered(ledger, MAIN, { why: 'no request is allowed', limited: true, waitMs: 3_599_000 });
    assert.deepEqual(await findStop(ledger.db, MAIN, 'unanswered'), {
      reason: { code: 'unanswered', text: 'status 429', at: began + 2_000 },
      since: began,
      until: began + 3_602_000,
      counted: null,
    });
    assert.equal(await findStop(ledger.db, 'other' as AccountId, 'unanswered'), null);
    await endStops(ledger.db, MAIN, 'unanswered');
    assert.equal(await findStop(ledger.db, MAIN, 'unanswered'), null);
  });
});
