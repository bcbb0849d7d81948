import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { newFolder } from './folder.ts';
import { startKillableTemporal } from './killable-temporal.ts';
import { prepareQuickStart } from './quick-start.ts';
import { runScenario } from './run-scenario.ts';
import { ACTIONS, shortScenarios, toScenario } from './scenario.ts';

/** Longer than a scenario may take, so that one that does not end says what it waits for. */
const timeout = 360_000;

describe('chaos schedules', () => {
  test('under kills and lost connections, every URL is bought once, the charges agree and every URL has its result', {
    timeout,
  }, async (t) => {
    const folder = newFolder();
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [temporal] = await Promise.all([startKillableTemporal(folder), prepareQuickStart(folder)]);
    try {
      const reports = await Promise.all(shortScenarios().map((plan) => runScenario(plan, temporal, folder)));
      for (const { seed, breaches, totals } of reports) {
        assert.deepEqual(breaches, [], `plan ${seed}`);
        assert.ok(totals.bought >= totals.urls / 2, `plan ${seed} bought too little to prove anything`);
      }
      const done = new Set(reports.flatMap(({ acts }) => acts.map(({ action }) => action)));
      assert.deepEqual([...done].sort(), [...ACTIONS].sort());
      const observed = new Set(reports.flatMap(({ faults }) => [...faults.keys()]));
      // By content, so that they come whatever the timing.
      for (const refusal of ['POST 413', 'POST 422']) assert.ok(observed.has(refusal), `no scenario had ${refusal}`);
    } finally {
      await temporal.stop();
    }
  });

  test('a seed always gives the same schedule', () => {
    assert.deepEqual(toScenario(7), toScenario(7));
    assert.notDeepEqual(toScenario(7), toScenario(8));
  });
});
