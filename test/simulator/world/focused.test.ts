import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MUTATIONS } from '../mutations/table/index.ts';
import { toKind } from '../mutations/to-kind.ts';
import { drawScenario, type SeedKind } from './draw-scenario.ts';
import { listFeatures } from './focused.ts';
import { toScenario } from './scenario.ts';

const SEEDS = Array.from({ length: 2_000 }, (_, n) => n + 1);
/** What every seed may have besides the acts of its groups. */
const ALWAYS = ['run', 'change pages', 'top up'];

describe('focused seeds', () => {
  test('a seed gives the same schedule each time', () => {
    assert.deepEqual(drawScenario(7, 'focused'), drawScenario(7, 'focused'));
    assert.notDeepEqual(drawScenario(7, 'focused').acts, drawScenario(8, 'focused').acts);
  });

  test('a seed leaves most kinds of acts out, and begins acts at two states of a batch at most', () => {
    for (const seed of SEEDS) {
      const { acts } = drawScenario(seed, 'focused');
      const kinds = new Set(acts.map(({ kind }) => kind).filter((kind) => !ALWAYS.includes(kind)));
      const moments = new Set(acts.flatMap(({ moment }) => moment ?? []));
      assert.ok(kinds.size <= 4, `seed ${seed}: ${[...kinds]}`);
      assert.ok(moments.size <= 2, `seed ${seed}: ${[...moments]}`);
    }
  });

  test('2,000 seeds have what each mutation needs several times', () => {
    const list = (kind: SeedKind) => SEEDS.map((seed) => listFeatures(drawScenario(seed, kind)));
    const kinds = new Set(MUTATIONS.map(toKind));
    const features = new Map([...kinds].map((kind) => [kind, list(kind)]));
    for (const mutation of MUTATIONS) {
      const { name, needs = [] } = mutation;
      const having = features.get(toKind(mutation))!.filter((has) => needs.every((need) => has.has(need)));
      assert.ok(having.length >= 5, `"${name}": ${having.length} seeds`);
    }
  });

  test('seeds of the other kinds mean what they did', () => {
    for (const kind of ['usual', 'small'] as const) {
      const scenario = drawScenario(7, kind);
      assert.deepEqual(scenario, toScenario(7, kind));
      assert.equal(scenario.isFocused, undefined);
      assert.ok(scenario.acts.every(({ moment }) => moment === undefined));
    }
  });
});
