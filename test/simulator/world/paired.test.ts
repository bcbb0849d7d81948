import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StateName } from './acts/states.ts';
import { findObstacle } from './cannot-meet.ts';
import { drawScenario } from './draw-scenario.ts';
import { FEATURE_NAMES, NEEDS } from './features.ts';
import { ACT_PAIRS, getPair, STATE_PAIRS } from './paired.ts';
import type { Act } from './scenario.ts';

/** Its acts and their states. */
const listNamed = (acts: readonly Act[]) =>
  acts.flatMap(({ kind, moment }) => [kind, ...(moment === undefined ? [] : [moment as StateName])]);

const SEEDS = Array.from({ length: 500 }, (_, n) => 2_000_000_000 + n);
const drawn = SEEDS.map((seed) => drawScenario(seed, 'paired'));

describe('paired seeds', () => {
  test('are drawn alike each time, in any order', () => {
    assert.deepEqual(drawScenario(SEEDS[7]!, 'paired'), drawn[7]);
    assert.notDeepEqual(drawScenario(SEEDS[7]!, 'paired').acts, drawn[8]!.acts);
  });

  test('as many numbers as there are pairs give each of them once', () => {
    for (const pairs of [ACT_PAIRS, STATE_PAIRS]) {
      assert.equal(new Set(pairs.map((_, n) => getPair(pairs, 1_000_000 + n))).size, pairs.length);
    }
  });

  test('play the act of their pair at its state, and acts that lie within an hour', () => {
    for (const { seed, acts } of drawn) {
      const [kind, state] = getPair(STATE_PAIRS, seed);
      assert.ok(
        acts.some((act) => act.kind === kind && act.moment === state),
        `seed ${seed}`,
      );
      assert.ok(Math.max(...acts.map(({ at }) => at)) < 3_600_000, `seed ${seed}`);
    }
  });

  test('play nothing that cannot meet', () => {
    for (const { seed, acts } of drawn) {
      for (const one of acts) {
        for (const other of listNamed(acts.filter((each) => each !== one))) {
          assert.equal(findObstacle(one.kind, other), null, `seed ${seed}: ${one.kind}, ${other}`);
        }
      }
    }
  });

  test('have what their acts and states need', () => {
    for (const { acts, ...scenario } of drawn) {
      const needs = new Set(listNamed(acts).flatMap((each) => NEEDS[each] ?? []));
      if (needs.has('schedules')) assert.equal(scenario.schedules.size, scenario.watches.size, `seed ${scenario.seed}`);
      if (needs.has('two accounts')) assert.ok(scenario.second !== undefined, `seed ${scenario.seed}`);
      if (needs.has('another service')) assert.equal(scenario.services?.isSecondElsewhere, true);
      if (needs.has('two accounts of a service')) assert.equal(scenario.services?.isSecondElsewhere, false);
      if (needs.has('all pages checked')) assert.equal(scenario.policy?.checks?.sample, 1);
      if (needs.has('some services')) assert.ok(scenario.services !== undefined, `seed ${scenario.seed}`);
      if (needs.has('failing pages')) assert.ok(scenario.fails, `seed ${scenario.seed}`);
      if (needs.has('poisoned page')) assert.match(JSON.stringify([...scenario.watches]), /~poison/);
    }
  });

  test('have each feature now and then', () => {
    const having = new Set(drawn.flatMap(({ features = [] }) => features));
    assert.deepEqual([...having].toSorted(), FEATURE_NAMES.toSorted());
  });
});
