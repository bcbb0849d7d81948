import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, type TestLedger, testLedger, WATCH, waitFor } from '../../test/support/ledger.ts';
import { readConfig } from '../config/load.ts';
import { recordStop } from '../ledger/accounts/stops.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { endRun } from '../ledger/runs/runs.ts';
import type { RunId } from '../submission/ids.ts';
import { explainActiveRun } from './explain-active-run.ts';

const config = readConfig(
  [
    'version: 1',
    `accounts: { main: { base_url: "${ACCOUNT.baseUrl}", api_key: { env: UNUSED } } }`,
    'watches: { shop: { account: main, project: Shop, sitemaps: [a.xml], hosts: [shop.example] } }',
  ].join('\n'),
  '/courier.yaml',
);
const explain = (ledger: TestLedger) =>
  explainActiveRun(ledger, config.watches.get(WATCH.id)!, config.accounts.get(ACCOUNT.id)!);

/** A run that has planned a batch and waits for its acceptance. */
async function waits(ledger: TestLedger): Promise<void> {
  await crawled(ledger, 'r1', { a: ['1'] });
  await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
}

const suspend = (ledger: TestLedger) =>
  waitFor(ledger, { code: 'insufficient_balance', text: 'the balance is too low' });

describe('a run beside an active one', () => {
  testLedger('says that the active one waits for money', async (ledger) => {
    await waits(ledger);
    assert.equal(await explain(ledger), null, 'it waits for its turn');
    await suspend(ledger);
    const error = await explain(ledger);
    assert.equal(error?.failure, 'funds');
    assert.match(
      error.message,
      /^shop: r1 is active and waits for money: the balance is too low\. It goes on by itself/,
    );
  });

  testLedger('says that the service rejects the key of the active one', async (ledger) => {
    await waits(ledger);
    await recordStop(ledger.db, ACCOUNT.id, {
      kind: 'key',
      at: 0,
      reason: { code: 'answer', outcome: 'reject_key', text: 'revoked' },
    });
    const error = await explain(ledger);
    assert.equal(error?.failure, 'key_rejected');
    assert.match(error.message, /rejects the API key: revoked/);
  });

  testLedger('says nothing of money while the active one still crawls, or where none is active', async (ledger) => {
    await waits(ledger);
    await suspend(ledger);
    await endRun(ledger, 'r1' as RunId, 'finished');
    assert.equal(await explain(ledger), null);
    await crawled(ledger, 'r2', { a: ['1', '2'] });
    assert.equal(await explain(ledger), null);
  });
});
