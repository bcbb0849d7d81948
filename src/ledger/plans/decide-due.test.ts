import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type StoredReason, toStoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import { makeVersion, SPAN } from '../../url/version.ts';
import { type DueReason, type DueRow, isDueNow } from '../pages/due.ts';
import { type DueDecision, type DuePolicy, decideDue, type OtherWatch } from './resubmission.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const REASONS: readonly DueReason[] = ['new', 'changed', 'retry', 'not-found', 'released'];
const POLICY: DuePolicy = {
  resubmit: { onLastmodChange: true, notWithinMs: 10 * HOUR },
  retryFailed: { times: 2, afterMs: HOUR },
};
const VERSION = makeVersion(NOW - 20 * HOUR, SPAN.second);
const ROW: DueRow = {
  id: 1,
  url: 'https://shop.example/a' as Url,
  first_run: 1,
  version: VERSION,
  gone_run: null,
  state: 'completed',
  due: 'changed',
  due_at: null,
  guard_passed: 1,
  generation: 1,
  bought_at: NOW - 30 * HOUR,
  bought_version: makeVersion(NOW - 900 * HOUR, SPAN.second),
  versions_bought_until: null,
  ...toStoredReason(null),
};

const decide = (
  row: Partial<DueRow>,
  { policy = {}, other = null }: { policy?: Partial<DuePolicy['resubmit']>; other?: OtherWatch } = {},
): DueDecision => decideDue({ ...ROW, ...row }, { ...POLICY, resubmit: { ...POLICY.resubmit, ...policy } }, other, NOW);

const DUE = { kind: 'due' } as const;
const later = (at: number | null) => ({ kind: 'later', at }) as const;
const drop = (code: string) => ({ kind: 'drop', reason: { code } }) as const;
const failedWithoutWatch = (failures: number): StoredReason =>
  toStoredReason({ code: 'failed_without_watch', failures, failedAt: NOW - HOUR, text: 'HTTP 404' });

describe('the decision on a due URL', () => {
  for (const due of REASONS) {
    test(`${due}: bought now, unless it is gone, held by a batch or in quarantine`, () => {
      assert.deepEqual(decide({ due }), DUE);
      assert.deepEqual(decide({ due, gone_run: 3 }), later(null));
      for (const state of ['planned', 'submitted', 'quarantined'] as const)
        assert.deepEqual(decide({ due, state }), later(null), state);
      for (const state of ['known', 'held', 'failed'] as const) assert.deepEqual(decide({ due, state }), DUE, state);
    });

    test(`${due}: what another watch bought or has in quarantine is dropped, what it has planned waits an hour`, () => {
      assert.deepEqual(decide({ due }, { other: 'bought' }), drop('bought_by_other_watch'));
      assert.deepEqual(decide({ due }, { other: 'quarantined' }), drop('quarantined_by_other_watch'));
      const waits = { ...later(NOW + HOUR), reason: { code: 'planned_by_other_watch' } };
      assert.deepEqual(decide({ due }, { other: 'planned' }), waits);
      const waited = { ...toStoredReason({ code: 'planned_by_other_watch' }), due_at: NOW + HOUR };
      assert.deepEqual(decide({ due, ...waited }, { other: 'planned' }), waits);
      assert.deepEqual(decide({ due, ...waited }), DUE, 'its batch no longer has it');
    });
  }

  for (const due of ['new', 'retry', 'not-found', 'released'] as const) {
    test(`${due}: not before its time`, () => {
      for (const [at, decision] of [
        [NOW - 1, DUE],
        [NOW, DUE],
        [NOW + 1, later(NOW + 1)],
      ] as const)
        assert.deepEqual(decide({ due, due_at: at }), decision);
    });
  }

  test('changed: not within the time that the watch sets, whatever an earlier setting gave', () => {
    for (const [bought_at, decision] of [
      [NOW - 10 * HOUR, DUE],
      [NOW - 10 * HOUR + 1, later(NOW + 1)],
      [null, DUE],
    ] as const) {
      assert.deepEqual(decide({ bought_at }), decision);
      assert.deepEqual(decide({ bought_at, due_at: NOW + 5 * HOUR }), decision);
    }
    assert.deepEqual(decide({ bought_at: NOW }, { policy: { notWithinMs: 0 } }), DUE);
  });

  test('changed: dropped where the watch does not resubmit, or that lastmod is bought', () => {
    assert.deepEqual(decide({}, { policy: { onLastmodChange: false } }), drop('lastmod_not_resubmitted'));
    assert.deepEqual(decide({ bought_version: VERSION }), drop('lastmod_bought'));
    assert.deepEqual(decide({ bought_version: VERSION, generation: 0 }), drop('lastmod_bought'), 'it was adopted');
    assert.deepEqual(decide({ bought_version: null, version: null }), DUE);
    const at = NOW - 20 * HOUR;
    assert.deepEqual(decide({ versions_bought_until: at }), drop('changed_before_job'));
    assert.deepEqual(decide({ versions_bought_until: at + 1 }), drop('changed_before_job'));
    assert.deepEqual(decide({ versions_bought_until: at - 1 }), DUE);
    assert.deepEqual(decide({ versions_bought_until: at, version: null }), DUE);
  });

  test('the rules of changes concern no other reason', () => {
    const bought = { bought_version: VERSION, versions_bought_until: NOW, bought_at: NOW };
    for (const due of ['new', 'retry', 'not-found', 'released'] as const)
      assert.deepEqual(decide({ due, ...bought }, { policy: { onLastmodChange: false } }), DUE, due);
  });

  test('retry: one that failed under no watch waits or ends by the rule of the watch that lists it', () => {
    const row = { due: 'retry', state: 'failed' } as const;
    assert.deepEqual(decide({ ...row, ...failedWithoutWatch(1) }), DUE);
    assert.deepEqual(decide({ ...row, ...failedWithoutWatch(2) }), later(NOW + HOUR));
    const text = 'HTTP 404';
    const reason = { code: 'failed_too_often', failures: 3, text };
    assert.deepEqual(decide({ ...row, ...failedWithoutWatch(3) }), { kind: 'quarantine', reason });
    assert.deepEqual(decide({ ...row, due: 'new', ...failedWithoutWatch(3) }), DUE, 'for another reason it is bought');
    const other = decide({ ...row, ...failedWithoutWatch(2) }, { other: 'planned' });
    assert.deepEqual(other, later(NOW + HOUR), 'it keeps its time beside a plan of another watch');
  });

  test('retry: one that is not due yet keeps its time beside a plan of another watch', () => {
    const at = NOW + 5 * HOUR;
    assert.deepEqual(decide({ due: 'retry', due_at: at }, { other: 'planned' }), later(at));
  });
});

describe('whether a URL may be bought now', () => {
  test('at its time, listed, and held by nothing', () => {
    assert.equal(isDueNow({ ...ROW, due_at: NOW }, NOW), true);
    assert.equal(isDueNow({ ...ROW, due_at: NOW + 1 }, NOW), false);
    assert.equal(isDueNow({ ...ROW, gone_run: 1 }, NOW), false);
    assert.equal(isDueNow({ ...ROW, state: 'submitted' }, NOW), false);
  });
});
