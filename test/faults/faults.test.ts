import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { newFolder } from './folder.ts';
import { ACTIONS, planOf } from './plan.ts';
import { quickStarts } from './quick-start.ts';
import { playSchedule } from './schedule.ts';
import { startFaultyTemporal } from './temporal.ts';

/** Together they do everything that can be done to a schedule; `npm run test:faults` plays as many as one likes. */
const SEEDS = [216, 3591, 4571];

test('whatever dies or is cut off, every URL is bought once, the books agree and every URL has its end', async (t) => {
  const folder = newFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await quickStarts(folder);
  const temporal = await startFaultyTemporal(folder);
  try {
    const reports = await Promise.all(SEEDS.map((seed) => playSchedule(seed, temporal, folder)));
    for (const { seed, breaches, tally } of reports) {
      assert.deepEqual(breaches, [], `seed ${seed}; play it alone with: npm run test:faults -- --only ${seed}`);
      assert.ok(tally.bought >= tally.urls / 2, `seed ${seed} bought too little to prove anything`);
    }
    const done = new Set(reports.flatMap(({ deeds }) => deeds.filter(({ hit }) => hit).map(({ action }) => action)));
    assert.deepEqual([...done].sort(), [...ACTIONS].sort());
  } finally {
    await temporal.stop();
  }
});

test('a seed is always the same schedule', () => {
  assert.deepEqual(planOf(7), planOf(7));
  assert.notDeepEqual(planOf(7), planOf(8));
});
