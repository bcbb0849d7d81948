import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  NO_GUARD,
  previewRun,
  sendAll,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { endRun } from '../runs/runs.ts';
import { applyPlans } from './apply-plans.ts';
import { judgeRun } from './judge-run.ts';
import { previewRuns } from './preview-runs.ts';

const run = (name: string) => name as RunId;
const input = { account: ACCOUNT, watch: WATCH };
const noApproval = { approvedBy: null };
const pages = (from: number, count: number) => Array.from({ length: count }, (_, n) => `p/${from + n}`);
const batches = (ledger: Ledger) => ledger.db.all(sql`SELECT 1 FROM batches`);

describe('apply plans', () => {
  testLedger('a preview writes nothing and equals the plan that is then applied, once', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 7) });
    const preview = await previewRun(ledger, run('r1'), input);
    await endRun(ledger, run('r1'), 'previewed');
    assert.deepEqual(await batches(ledger), []);
    const plan = { run: run('r1'), input, digest: preview.digest };
    assert.deepEqual(await applyPlans(ledger, [plan], noApproval), [preview]);
    await assert.rejects(applyPlans(ledger, [plan], noApproval), /was already applied/);
    await sendAll(ledger);
    assert.equal((await crawled(ledger, 'r2', { a: pages(0, 7) })).firstRun, false, 'the applied plan was a run');
    assert.equal((await previewRun(ledger, run('r2'), input)).urls, 0);
  });

  testLedger('an outdated plan is rejected when more or less is due or the price changed', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 7) });
    const kept = { run: run('r1'), input, digest: (await previewRun(ledger, run('r1'), input)).digest };
    await endRun(ledger, run('r1'), 'previewed');
    const higherPrice = { ...input, account: { ...ACCOUNT, pricePerUrl: { standard: 500_000 as Micros, fast: null } } };
    await assert.rejects(applyPlans(ledger, [{ ...kept, input: higherPrice }], noApproval), /out of date/);
    await completeRun(ledger, 'r2', { a: pages(0, 8) });
    await assert.rejects(applyPlans(ledger, [kept], noApproval), /out of date/);
    await completeRun(ledger, 'r3', { a: pages(1, 6) });
    await assert.rejects(applyPlans(ledger, [kept], noApproval), /out of date/);
    assert.deepEqual(await batches(ledger), []);
  });

  testLedger('several plans share the cap of their account, and are applied all or none', async (ledger) => {
    const other = { ...WATCH, id: 'blog' as WatchId };
    const capped = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: 1_250_000 as Micros } };
    await crawled(ledger, 'r1', { a: pages(0, 3) });
    await crawled(ledger, 'r2', { b: pages(100, 3) }, { watch: other.id });
    const runs = [
      { run: run('r1'), input: { account: capped, watch: WATCH } },
      { run: run('r2'), input: { account: capped, watch: other } },
    ];
    const previews = await previewRuns(ledger, runs);
    assert.deepEqual(
      previews.map(({ urls, held }) => [urls, held]),
      [
        [3, 0],
        [2, 1],
      ],
    );
    const plans = runs.map((each, at) => ({ ...each, digest: previews[at]!.digest }));
    await assert.rejects(
      applyPlans(ledger, [plans[0]!, { ...plans[1]!, digest: 'another' }], noApproval),
      /out of date/,
    );
    assert.deepEqual(await batches(ledger), [], 'no part of a plan is carried out when another part is out of date');
    assert.deepEqual(await applyPlans(ledger, plans, noApproval), previews);
  });

  testLedger("a plan that a guard holds is applied only with the approver's name", async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: pages(0, 14) });
    await judgeRun(ledger, run('r2'), { ...NO_GUARD, maxNew: 3 });
    const plan = { run: run('r2'), input, digest: (await previewRun(ledger, run('r2'), input)).digest };
    await endRun(ledger, run('r2'), 'previewed');
    await assert.rejects(applyPlans(ledger, [plan], noApproval), /waits for approval/);
    await assert.rejects(applyPlans(ledger, [{ ...plan, digest: 'another' }], { approvedBy: 'ayşe' }), /out of date/);
    const [row] = await ledger.db.all(sql<{ decision: string | null }>`SELECT decision FROM runs WHERE name = 'r2'`);
    assert.equal(row!.decision, null, 'a plan that was refused approves nothing');
    assert.equal((await applyPlans(ledger, [plan], { approvedBy: 'ayşe' }))[0]!.urls, 4);
  });
});
