import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Micros } from '../contract/money.ts';
import type { GuardHold, RunDecided } from '../src/temporal-api/payloads.ts';
import { PlayedWorkflow } from '../test/support/play-workflow.ts';

const HOLD: GuardHold = {
  reasons: ['60 new URLs, more than max_new 50'],
  sample: ['https://shop.example/a|b'],
  question: {
    urls: 60,
    cost: 15_000_000 as Micros,
    allowed: 60,
    missing: null,
    since: '2026-01-31 04:30 Europe/Istanbul',
  },
  waitsForMoney: false,
};
const COUNTS = { found: 60, new: 60, changed: 0, known: 0, gone: 0, skipped: 0, complete: true, firstRun: false };
const CRAWL = { urls: 60, sitemaps: 1, complete: true, problems: [], unmatchedRules: [] };
const PLAN = { batches: 1, urls: 60, cost: 15_000_000, basis: 'learned', held: 0, heldReason: null, sample: [] };
const TWELVE_HOURS = 12 * 3_600_000;

/** A run that a guard holds. `ask`: the decision that the ledger has. */
const hold = (ask: () => RunDecided | null) =>
  PlayedWorkflow.start(
    'watchSitemap',
    { watch: 'shop', account: 'main', until: 'planned' },
    {
      beginRun: () => null,
      crawlWatch: () => CRAWL,
      diffRun: () => COUNTS,
      judgeRun: () => HOLD,
      findDecision: ask,
      recordDecision: () => null,
      planRun: () => PLAN,
      wakeDispatcher: () => null,
      finishRun: () => ({ incompleteRuns: 0, limit: 2 }),
    },
  );

const approve = { kind: 'update', id: '1', name: 'approve', args: '["ayşe"]' } as const;
const types = (played: PlayedWorkflow) => played.list('activity').map(({ type }) => type);
const timers = (played: PlayedWorkflow) => played.list('timer').map(({ ms, summary }) => [ms, summary.slice(0, 47)]);
const recorded = (played: PlayedWorkflow) =>
  played.list('activity').flatMap(({ type, args }) => (type === 'recordDecision' ? JSON.parse(args) : []));

describe('a run that a guard holds', () => {
  test('asks on a timer, and buys nothing before there is a decision', async () => {
    const played = await hold(() => null);
    assert.deepEqual(timers(played), [[TWELVE_HOURS, 'HELD: approve or reject 60 URLs, 15.00 TRY. 60 ']]);
    assert.equal(types(played).at(-1), 'findDecision');
    await played.tell(approve);
    assert.deepEqual(recorded(played), [
      { watch: 'shop', account: 'main', run: 'run-1', decision: 'approved', by: 'ayşe' },
    ]);
    assert.deepEqual(types(played).slice(-3), ['planRun', 'wakeDispatcher', 'finishRun']);
  });

  test('goes on with the decision that the ledger has, and asks nobody', async () => {
    const played = await hold(() => ({ decision: 'approved', by: 'the plan of ayşe' }));
    assert.deepEqual(timers(played), []);
    assert.equal(recorded(played)[0].by, 'the plan of ayşe');
    assert.deepEqual(types(played).slice(-3), ['planRun', 'wakeDispatcher', 'finishRun']);
  });

  test('reads the ledger again at each reminder', async () => {
    const decided: (RunDecided | null)[] = [null, null, { decision: 'rejected', by: 'mehmet' }];
    const played = await hold(() => decided.shift()!);
    for (const _ of [1, 2]) await played.tell({ kind: 'timer', seq: played.list('timer').at(-1)!.seq });
    assert.deepEqual(timers(played), [
      [TWELVE_HOURS, 'HELD: approve or reject 60 URLs, 15.00 TRY. 60 '],
      [TWELVE_HOURS, 'HELD, reminder 1: approve or reject 60 URLs, 15'],
    ]);
    assert.equal(recorded(played)[0].decision, 'rejected');
    assert.deepEqual(types(played).slice(-2), ['recordDecision', 'finishRun']);
  });

  test('takes one decision, while it is held', async () => {
    const played = await hold(() => null);
    await played.tell(approve);
    await played.tell({ ...approve, id: '2', name: 'reject' });
    assert.deepEqual(
      played.updates.map(({ id, rejected }) => [id, rejected]),
      [
        ['1', false],
        ['2', true],
      ],
    );
    assert.equal(recorded(played)[0].decision, 'approved');
  });

  test('shows what is asked, and its pages, as a table', async () => {
    const { details } = await hold(() => null);
    assert.deepEqual(details.split('\n').slice(2), [
      '| | |',
      '| --- | --- |',
      '| phase | held |',
      '| waits for | your decision: send the update approve or reject, without data |',
      '| would cost | 15.00 TRY |',
      '| why | 60 new URLs, more than max_new 50 |',
      '| allowed now | 60 URLs |',
      '| new | 60 URLs |',
      '| gone | 0 URLs |',
      '| for example | https://shop.example/a\\|b |',
    ]);
  });
});
