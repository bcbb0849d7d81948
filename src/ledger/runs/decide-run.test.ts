import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, completeRun, crawled, NO_GUARD, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { renderReason } from '../../submission/reason.ts';
import { judgeRun } from '../plans/judge-run.ts';
import { planRun } from '../plans/make-plan.ts';
import { decideRun, findDecision } from './decide-run.ts';
import type { RunHold } from './run-hold.ts';
import { endRun } from './runs.ts';

const run = (name: string) => name as RunId;
const input = { account: ACCOUNT, watch: WATCH };
const guard = { ...NO_GUARD, maxNew: 3, maxGonePercent: 50 };
const firstReason = (hold: RunHold | null) => (hold?.reasons[0] === undefined ? '' : renderReason(hold.reasons[0]));
const pages = (from: number, count: number) => Array.from({ length: count }, (_, n) => `p/${from + n}`);

describe('decide run', () => {
  testLedger('an implausible change is held, and nothing is planned without approval', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: pages(0, 14) });
    const held = await judgeRun(ledger, run('r2'), guard);
    assert.match(firstReason(held), /4 new URLs, more than max_new/);
    assert.deepEqual(held!.sample.length, 4);
    assert.deepEqual(await judgeRun(ledger, run('r2'), guard), held, 'a retry reads the same');
    await assert.rejects(planRun(ledger, run('r2'), input), /waits for approval/);
    assert.equal(await findDecision(ledger, run('r2')), null);
    assert.equal(await decideRun(ledger, run('r2'), 'approved', 'ayşe'), 'approved');
    assert.equal(await decideRun(ledger, run('r2'), 'rejected', 'ali'), 'approved', 'the first decision stands');
    assert.deepEqual(await findDecision(ledger, run('r2')), { decision: 'approved', by: 'ayşe' });
    assert.equal(await judgeRun(ledger, run('r2'), guard), null);
    assert.equal((await planRun(ledger, run('r2'), input)).urls, 4);
  });

  testLedger(
    'a run that the ledger does not hold, as an older copy of it, has no decision to wait for',
    async (ledger) => {
      await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
      await crawled(ledger, 'r2', { a: pages(0, 14) });
      await assert.rejects(findDecision(ledger, run('r2')), /does not know that a guard holds run "r2".*older copy/);
      await judgeRun(ledger, run('r2'), guard);
      assert.equal(await findDecision(ledger, run('r2')), null);
      await endRun(ledger, run('r2'), 'abandoned');
      await assert.rejects(findDecision(ledger, run('r2')), /has ended run "r2".*older copy/);
    },
  );

  testLedger('rejected URLs do not return one by one with later runs', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: pages(0, 14) });
    await judgeRun(ledger, run('r2'), guard);
    await decideRun(ledger, run('r2'), 'rejected', 'ali');
    await assert.rejects(planRun(ledger, run('r2'), input), /was rejected by ali/);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: pages(0, 15) });
    assert.match(firstReason(await judgeRun(ledger, run('r3'), guard)), /5 new URLs/);
  });

  testLedger('URLs that a cap holds are not checked against the guards again', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 3)] });
    assert.equal(await judgeRun(ledger, run('r2'), guard), null);
    const capped = { ...WATCH, spend: { ...WATCH.spend, perRun: 250_000 as Micros } };
    assert.equal((await planRun(ledger, run('r2'), { account: ACCOUNT, watch: capped })).held, 2);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['0', ...pages(0, 6)] });
    assert.equal(await judgeRun(ledger, run('r3'), guard), null, '3 new ones and 2 that were let pass');
    assert.equal((await planRun(ledger, run('r3'), input)).urls, 5);
  });

  testLedger('a plan over a cap can hold the run', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 3)] });
    const capped = { ...WATCH, spend: { ...WATCH.spend, perRun: 250_000 as Micros } };
    const held = await judgeRun(ledger, run('r2'), guard, { input: { account: ACCOUNT, watch: capped } });
    assert.match(firstReason(held), /watch per run of 0.25 TRY/);
    await decideRun(ledger, run('r2'), 'approved', 'ayşe');
    assert.equal((await planRun(ledger, run('r2'), { account: ACCOUNT, watch: capped })).held, 2);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['0', ...pages(0, 3)] });
    const next = await judgeRun(ledger, run('r3'), guard, { input: { account: ACCOUNT, watch: capped } });
    assert.equal(next, null, 'the cap spreads what was approved over the runs');
  });

  testLedger('URLs first seen by an unapplied plan are still new to the next run', async (ledger) => {
    const percent = { ...NO_GUARD, maxNewPercent: 20 };
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await completeRun(ledger, 'r2', { a: pages(0, 10) });
    await crawled(ledger, 'look', { a: pages(0, 13) });
    await endRun(ledger, run('look'), 'previewed');
    await crawled(ledger, 'r3', { a: pages(0, 13) });
    assert.match(firstReason(await judgeRun(ledger, run('r3'), percent)), /3 new URLs.*30/);
  });

  testLedger('URLs that disappeared in an unapplied plan still hold the next run', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'look', { a: pages(0, 4) });
    await endRun(ledger, run('look'), 'previewed');
    const diff = await crawled(ledger, 'r2', { a: pages(0, 4) });
    assert.equal(diff.gone, 6, 'also what the preview saw first');
    assert.match(firstReason(await judgeRun(ledger, run('r2'), guard)), /6 of 10 known URLs are gone/);
  });

  testLedger('too many disappeared URLs hold the run', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: pages(0, 4) });
    assert.match(firstReason(await judgeRun(ledger, run('r2'), guard)), /6 of 10 known URLs are gone/);
  });

  testLedger('a run in which every lastmod changed is held, and bought when approved', async (ledger) => {
    const dated = (day: number) => pages(0, 40).map((path): [string, string] => [path, `2026-01-0${day}`]);
    const changed = { ...NO_GUARD, maxChanged: 1000, maxChangedPercent: 50 };
    await completeRun(ledger, 'r1', { a: dated(1) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: dated(2) });
    const held = await judgeRun(ledger, run('r2'), changed, { input });
    assert.deepEqual(held?.reasons, [{ code: 'max_changed_percent', urls: 40, known: 40, limit: 50 }]);
    assert.equal(held!.sample.length, 5);
    await decideRun(ledger, run('r2'), 'approved', 'ayşe');
    assert.equal((await planRun(ledger, run('r2'), input)).urls, 40);
  });

  testLedger('changes that the watch does not resubmit are not checked against the guards', async (ledger) => {
    const dated = (day: number) => pages(0, 40).map((path): [string, string] => [path, `2026-01-0${day}`]);
    const watch = { ...WATCH, resubmit: { onLastmodChange: false, notWithinMs: 0 } };
    await completeRun(ledger, 'r1', { a: dated(1) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: dated(2) });
    const guarded = { ...NO_GUARD, maxChanged: 1 };
    assert.equal(await judgeRun(ledger, run('r2'), guarded, { input: { account: ACCOUNT, watch } }), null);
  });
});
