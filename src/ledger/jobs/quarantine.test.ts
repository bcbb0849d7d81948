import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  accepted,
  crawled,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { planRun } from '../plans/make-plan.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { listQuarantined, type QuarantineScope, releaseQuarantined } from './quarantine.ts';

const policies = { account: ACCOUNT, watch: WATCH };

/** A batch of four pages of which the service names two as bad, each for its reason; the rest is accepted. */
async function refuse(ledger: TestLedger): Promise<BatchId> {
  await crawled(ledger, 'r1', { a: ['1', '2', '3', '4'] });
  await planRun(ledger, 'r1' as RunId, policies);
  const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
  const rejected = [
    { url: shopUrl('1'), reason: 'not a page' },
    { url: shopUrl('2'), reason: 'blocked' },
  ];
  await beginSend(ledger, batch!.id, policies);
  const refusal = { kind: 'quarantine', rejected, chargeState: 'none', message: 'refused' } as const;
  await recordAnswer(ledger, batch!.id, { attempt: 1, outcome: refusal, status: 422, requestId: null });
  const [rest] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
  await beginSend(ledger, rest!.id, policies);
  await recordAnswer(ledger, rest!.id, { attempt: 1, outcome: accepted('R-1'), status: 202, requestId: null });
  await endRun(ledger, 'r1' as RunId, 'finished');
  return batch!.id;
}

describe('releasing from quarantine', () => {
  for (const [what, toScope, released] of [
    ['a batch gives back all its URLs', (batch) => ({ kind: 'batch', batch }), 2],
    ['another batch gives back none', (batch) => ({ kind: 'batch', batch: (batch + 40) as BatchId }), 0],
    ['a reason gives back the URLs that have it', () => ({ kind: 'reason', reason: 'blocked' }), 1],
    ['a part of a reason gives back none', () => ({ kind: 'reason', reason: 'block' }), 0],
    ['all gives back every URL', () => ({ kind: 'all' }), 2],
  ] as const satisfies readonly (readonly [string, (batch: BatchId) => QuarantineScope, number])[]) {
    testLedger(`${what}, and the next run plans them`, async (ledger) => {
      const batch = await refuse(ledger);
      assert.equal((await listQuarantined(ledger)).length, 2);
      assert.equal(await releaseQuarantined(ledger, WATCH.id, toScope(batch)), released);
      assert.equal((await listQuarantined(ledger)).length, 2 - released);
      await crawled(ledger, 'r2', { a: ['1', '2', '3', '4'] });
      assert.equal((await planRun(ledger, 'r2' as RunId, policies)).urls, released);
      assert.equal(
        (await getUrlHistory(ledger, shopUrl('3')))[0]?.generation,
        1,
        'what was accepted is not bought again',
      );
    });
  }
});
