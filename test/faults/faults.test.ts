import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { newFolder } from './folder.ts';
import { ACTIONS, planOf, shortPlans } from './plan.ts';
import { quickStarts } from './quick-start.ts';
import { playSchedule } from './schedule.ts';
import { startFaultyTemporal } from './temporal.ts';

test('whatever dies or is cut off, every URL is bought once, the books agree and every URL has its end', async (t) => {
  const folder = newFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [temporal] = await Promise.all([startFaultyTemporal(folder), quickStarts(folder)]);
  try {
    const reports = await Promise.all(shortPlans().map((plan) => playSchedule(plan, temporal, folder)));
    for (const { seed, breaches, tally } of reports) {
      assert.deepEqual(breaches, [], `plan ${seed}`);
      assert.ok(tally.bought >= tally.urls / 2, `plan ${seed} bought too little to prove anything`);
    }
    const done = new Set(reports.flatMap(({ deeds }) => deeds.map(({ action }) => action)));
    assert.deepEqual([...done].sort(), [...ACTIONS].sort());
    const met = new Set(reports.flatMap(({ faults }) => [...faults.keys()]));
    // By content, so that they come whatever the timing.
    for (const refusal of ['POST 413', 'POST 422']) assert.ok(met.has(refusal), `nothing met ${refusal}`);
  } finally {
    await temporal.stop();
  }
});

test('a seed is always the same schedule', () => {
  assert.deepEqual(planOf(7), planOf(7));
  assert.notDeepEqual(planOf(7), planOf(8));
});
