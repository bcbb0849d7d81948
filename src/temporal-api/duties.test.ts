import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { ACTIVITIES_OF, DUTIES, getDutyQueue } from './duties.ts';

describe('duties of a worker', () => {
  test('every activity belongs to exactly one duty', () => {
    const config = { get: () => undefined };
    const ledger = { db: { dialect: 'sqlite' } };
    const activities = Object.keys(createActivities({ config, ledger } as unknown as Deps));
    assert.deepEqual(Object.values(ACTIVITIES_OF).flat().toSorted(), activities.toSorted());
  });

  test("each has a task queue of its own; workflow tasks stay on the ledger's", () => {
    assert.deepEqual(
      DUTIES.map((duty) => getDutyQueue('courier/l1', duty)),
      ['courier/l1', 'courier/l1/crawl', 'courier/l1/submit', 'courier/l1/track', 'courier/l1/check'],
    );
  });
});
