import assert from 'node:assert/strict';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, completeRun, crawled, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { Reference, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { listOpenSubmissions } from './record-poll.ts';
import { type PastJob, recoverJob } from './recover.ts';

const where = { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl };
const job = (reference: string, paths: readonly string[], over: Partial<PastJob> = {}): PastJob => ({
  reference: reference as Reference,
  state: 'completed',
  terminal: true,
  service: 'standard',
  project: 'Shop [sc00112233445566]',
  createdAt: Date.UTC(2026, 0, 2),
  charge: (paths.length * 250_000) as Micros,
  urls: paths.map((path) => ({ url: shopUrl(path), result: 'open', reason: null })),
  ...over,
});

testLedger('what the service says was bought is not bought again after a lost disk', async (ledger) => {
  const jobs = [
    job('R-1', ['1', '2', '3']),
    job('R-2', ['3'], { createdAt: Date.UTC(2026, 0, 5) }),
    job('R-3', ['4', '4'], { state: 'processing', terminal: false }),
  ];
  for (const each of jobs) assert.equal((await recoverJob(ledger, where, each)).kind, 'recovered');
  for (const each of jobs) assert.equal((await recoverJob(ledger, where, each)).kind, 'known');
  const diff = await crawled(ledger, 'r1', { a: [['1', '2026-01-01'], '2', '3', '4', '5'] });
  assert.deepEqual([diff.found, diff.new, diff.gone], [5, 1, 0]);
  const plan = await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
  assert.equal(plan.urls, 1, 'only the fifth');
  assert.equal(plan.basis, 'learned');
  assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedThisMonth, 1_500_000);
  const [third] = await getUrlHistory(ledger, shopUrl('3'));
  assert.deepEqual(
    [third!.generation, third!.state, third!.purchases.map(({ reference }) => reference)],
    [2, 'completed', ['R-1', 'R-2']],
  );
  const open = await listOpenSubmissions(ledger, ACCOUNT.id);
  assert.deepEqual(
    open.map(({ reference, state }) => [reference, state]),
    [['R-3', 'processing']],
  );
});

testLedger('a page that changes after the recovery is bought as the next generation', async (ledger) => {
  await recoverJob(ledger, where, job('R-1', ['1']));
  await completeRun(ledger, 'r1', { a: [['1', '2026-01-01']] });
  await crawled(ledger, 'r2', { a: [['1', '2026-01-09']] });
  assert.equal((await planRun(ledger, 'r2' as RunId, { account: ACCOUNT, watch: WATCH })).urls, 1);
  assert.equal((await getUrlHistory(ledger, shopUrl('1')))[0]!.generation, 2);
});
