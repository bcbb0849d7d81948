import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawScenario } from './draw-scenario.ts';
import { listFeatures } from './focused.ts';

const SEEDS = Array.from({ length: 300 }, (_, n) => n + 1);
const drawn = SEEDS.map((seed) => drawScenario(seed, 'service'));

describe('service seeds', () => {
  test('are drawn alike each time, and leave the acts of the focused seed as they are', () => {
    assert.deepEqual(drawScenario(7, 'service'), drawn[6]);
    const { acts } = drawScenario(7, 'focused');
    assert.ok(acts.every((act) => drawn[6]!.acts.some((each) => JSON.stringify(each) === JSON.stringify(act))));
  });

  test('move accounts, move services and rotate keys, each in several of them', () => {
    const acts = ['name another service', 'move to another service', 'service moves', 'wrong key'] as const;
    for (const kind of [...acts, 'rotate key', 'rotate key early', 'key file away'] as const) {
      const having = drawn.filter((scenario) => scenario.acts.some((act) => act.kind === kind));
      assert.ok(having.length >= 5, `${kind}: ${having.length}`);
    }
  });

  test('show jobs in other words, on short pages, on pages that move and on pages that are filtered', () => {
    const features = ['other service', 'other words', 'short pages', 'pages move', 'filtered pages'] as const;
    for (const feature of features) {
      const having = drawn.filter((scenario) => listFeatures(scenario).has(feature));
      assert.ok(having.length >= 15, `${feature}: ${having.length}`);
    }
  });

  test('move no account in a seed that renames watches or restores the ledger', () => {
    const moving = drawn.filter(({ acts }) =>
      acts.some(({ kind }) => /^name another|^move to another|^service moves/.test(kind)),
    );
    const loses = moving.filter(({ acts }) => acts.some(({ kind }) => /rename watch|restore ledger/.test(kind)));
    assert.deepEqual(loses, []);
  });

  test('a service that filters its pages shows enough jobs on each for a search to end within its limits', () => {
    for (const { seed, services } of drawn) {
      const dialect = services?.dialect;
      if (dialect?.filtersPages === true) assert.ok(dialect.pageLimit >= 5, `seed ${seed}: ${dialect.pageLimit}`);
    }
  });
});
