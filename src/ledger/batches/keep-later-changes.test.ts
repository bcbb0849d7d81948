import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { makeCopy, planPages } from '../../../test/support/copied-ledger.ts';
import { ACCOUNT, crawled, DAY, sendAll, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { endJob } from '../../../test/support/service-results.ts';
import type { Reference, RunId } from '../../submission/ids.ts';
import { endRun } from '../runs/runs.ts';
import { type BatchRow, getBatch, listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordReconciled } from './record-reconciled.ts';

async function getPlanned(ledger: TestLedger): Promise<BatchRow> {
  return getBatch(ledger.db, (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id);
}

/** The service's list has the batch that waits, as a job. */
async function find(ledger: TestLedger, createdAt: string): Promise<void> {
  const { id } = await getPlanned(ledger);
  const reference = `R-${createdAt}` as Reference;
  const found = { kind: 'found', reference, state: null, charged: null, pricePerUrl: null, balance: null } as const;
  await recordReconciled(ledger, id, { ...found, createdAt: Date.parse(createdAt) });
  await endJob(ledger, reference);
}

describe('a batch that is a job of a ledger which an older copy has replaced', () => {
  for (const { lastmod, urls, why } of [
    { lastmod: '2026-01-16T08:00:00Z', urls: 0, why: 'a change before the job is bought' },
    { lastmod: '2026-01-17T10:00:00Z', urls: 0, why: 'a change at the moment of the job is bought' },
    { lastmod: '2026-01-17T10:00:00.001Z', urls: 1, why: 'a later one is not' },
  ]) {
    testLedger(`lastmod ${lastmod}: ${why}`, async (ledger) => {
      await makeCopy(ledger);
      ledger.pass(7 * DAY);
      assert.equal(await planPages(ledger, 'planned', { a: [['1', lastmod]] }), 1);
      const { idempotency_key: key } = await getPlanned(ledger);
      await find(ledger, '2026-01-17T10:00:00Z');
      assert.equal(await planPages(ledger, 'after', { a: [['1', lastmod]] }), urls);
      if (urls > 0) assert.notEqual((await getPlanned(ledger)).idempotency_key, key);
      await sendAll(ledger);
      assert.equal(await planPages(ledger, 'later', { a: [['1', lastmod]] }), 0, 'once');
    });
  }

  testLedger(
    'a change that the copy sees after the job is bought, where the copy had planned the batch',
    async (ledger) => {
      await makeCopy(ledger);
      await planPages(ledger, 'planned', { a: [['1', '2026-01-14']] });
      ledger.pass(7 * DAY);
      await crawled(ledger, 'seen', { a: [['1', '2026-01-20']] });
      await endRun(ledger, 'seen' as RunId, 'finished');
      await find(ledger, '2026-01-15T13:00:00Z');
      assert.equal(await planPages(ledger, 'after', { a: [['1', '2026-01-20']] }), 1);
    },
  );

  testLedger('a lastmod of the next day that the copy had planned is bought', async (ledger) => {
    await makeCopy(ledger);
    await planPages(ledger, 'planned', { a: [['1', '2026-01-16']] });
    ledger.pass(DAY);
    await find(ledger, '2026-01-15T13:00:00Z');
    assert.equal(await planPages(ledger, 'after', { a: [['1', '2026-01-16']] }), 0);
  });
});

testLedger(
  'a batch that this ledger sent bought what it was planned for, whatever time the list shows',
  async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(2 * DAY);
    await planPages(ledger, 'planned', { a: [['1', '2026-01-17']] });
    await beginSend(ledger, (await getPlanned(ledger)).id, { account: ACCOUNT, watch: WATCH });
    await find(ledger, '2026-01-16T23:00:00Z');
    assert.equal(await planPages(ledger, 'after', { a: [['1', '2026-01-17']] }), 0);
  },
);
