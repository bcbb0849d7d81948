import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { planOf } from './plan.ts';
import { playSchedule } from './schedule.ts';
import { startFaultyTemporal } from './temporal.ts';

/** Seeds that kill a worker and the service and set workflows back; `npm run test:faults` plays as many as one likes. */
const SEEDS = [3, 6, 16];

test('whatever dies or is cut off, every URL is bought once and the books agree', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'courier-faults-'));
  const temporal = await startFaultyTemporal(folder);
  t.after(async () => {
    await temporal.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const reports = await Promise.all(SEEDS.map((seed) => playSchedule(seed, temporal, folder)));
  for (const { seed, breaches, tally } of reports) {
    assert.deepEqual(breaches, [], `seed ${seed}; play it alone with: npm run test:faults -- --only ${seed}`);
    assert.ok(tally.bought >= tally.urls / 2, `seed ${seed} bought too little to prove anything`);
  }
});

test('a seed is always the same schedule', () => {
  assert.deepEqual(planOf(7), planOf(7));
  assert.notDeepEqual(planOf(7), planOf(8));
});
