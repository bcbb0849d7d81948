import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawScenario } from './draw-scenario.ts';
import { HABIT_NAMES } from './habits.ts';

const SEEDS = Array.from({ length: 400 }, (_, n) => n + 1);
const drawn = SEEDS.map((seed) => drawScenario(seed, 'people'));

describe('seeds among people', () => {
  test('are drawn alike each time, and keep the acts of the focused seed', () => {
    assert.deepEqual(drawScenario(7, 'people'), drawn[6]);
    for (const { seed, acts } of drawn.slice(0, 50)) {
      const has = new Set(acts.map((act) => JSON.stringify(act)));
      for (const act of drawScenario(seed, 'focused').acts) assert.ok(has.has(JSON.stringify(act)), `seed ${seed}`);
    }
  });

  test('have each habit in a tenth of them at least, and none of most', () => {
    for (const name of HABIT_NAMES) {
      const having = drawn.filter(({ habits = [] }) => habits.includes(name)).length;
      assert.ok(having > SEEDS.length / 10 && having < SEEDS.length / 2, `${name}: ${having}`);
    }
  });
});
