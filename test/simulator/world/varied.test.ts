import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawScenario } from './draw-scenario.ts';

const SEEDS = Array.from({ length: 100 }, (_, n) => n + 1);
const varied = SEEDS.map((seed) => drawScenario(seed, 'varied'));

describe('varied seeds', () => {
  test('are drawn alike each time, and leave the focused seed as it is', () => {
    assert.deepEqual(drawScenario(7, 'varied'), varied[6]);
    const { acts } = drawScenario(7, 'focused');
    assert.ok(acts.every((act) => varied[6]!.acts.some((each) => JSON.stringify(each) === JSON.stringify(act))));
  });

  test('give each account a watch', () => {
    for (const { watches, second } of varied) {
      assert.ok(second !== undefined && second.sitemaps.length > 0 && second.sitemaps.length < watches.size);
    }
  });

  test('move watches in many of them, but none that renames watches or restores the ledger', () => {
    const moving = varied.filter(({ acts }) => acts.some(({ kind }) => kind === 'change account'));
    assert.ok(moving.length > 30, `${moving.length} of ${SEEDS.length}`);
    const loses = moving.filter(({ acts }) => acts.some(({ kind }) => /rename watch|restore ledger/.test(kind)));
    assert.deepEqual(loses, []);
  });

  test('have an account in trouble, of either kind and either account', () => {
    const troubles = new Set(varied.map(({ second }) => JSON.stringify(second?.trouble)));
    assert.equal(troubles.size, 5, [...troubles].join(' '));
  });
});
