import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  accepted,
  crawled,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { endJob } from '../../../test/support/service-results.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { planRun } from '../plans/make-plan.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { listQuarantined, type QuarantineScope, releaseQuarantined, releaseUrl } from './quarantine.ts';

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
  testLedger('a batch gives back none of another one, although both have bad URLs', async (ledger) => {
    const batch = await refuse(ledger);
    await crawled(ledger, 'r2', { a: ['1', '2', '3', '4', '5'] });
    await planRun(ledger, 'r2' as RunId, policies);
    const [later] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await beginSend(ledger, later!.id, policies);
    const rejected = [{ url: shopUrl('5'), reason: 'blocked' }];
    const outcome = { kind: 'quarantine', rejected, chargeState: 'none', message: 'refused' } as const;
    await recordAnswer(ledger, later!.id, { attempt: 1, outcome, status: 422, requestId: null });
    assert.equal((await listQuarantined(ledger)).length, 3);
    assert.equal(await releaseQuarantined(ledger, WATCH.id, { kind: 'batch', batch }), 2);
    assert.deepEqual(
      (await listQuarantined(ledger)).map(({ url }) => url),
      [shopUrl('5')],
    );
  });

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

  for (const [what, release] of [
    ['by itself', (ledger: TestLedger) => releaseUrl(ledger, WATCH.id, shopUrl('1'))],
    ['with others', (ledger: TestLedger) => releaseQuarantined(ledger, WATCH.id, { kind: 'all' })],
  ] as const) {
    testLedger(`a URL that is released ${what} has its retries again`, async (ledger) => {
      const buy = async (run: string) => {
        await crawled(ledger, run, { a: ['1'] });
        const { urls } = await planRun(ledger, run as RunId, policies);
        for (const reference of await sendAll(ledger)) {
          await endJob(ledger, reference, { state: 'failed', retryFailed: { times: 1, afterMs: 0 } });
        }
        await endRun(ledger, run as RunId, 'finished');
        return urls;
      };
      assert.deepEqual([await buy('r1'), await buy('r2'), await buy('r3')], [1, 1, 0], 'bought once more, then not');
      await release(ledger);
      assert.deepEqual(
        [await buy('r4'), await buy('r5'), await buy('r6')],
        [1, 1, 0],
        'and the same after its release',
      );
    });
  }
});
