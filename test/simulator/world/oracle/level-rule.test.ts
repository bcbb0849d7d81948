import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LevelRule } from './level-rule.ts';
import { makePurchase, makeSent } from './test-facts.ts';

/** A watch that is `standard` at first and `fast` from 1,000 on. */
function createRule() {
  const reports: string[] = [];
  const rule = new LevelRule((text) => reports.push(text), { getTime: (order) => order * 600 });
  rule.configure(new Map([['w0', 'standard']]), ['w0'], 0);
  rule.configure(new Map([['w0', 'fast']]), ['w0'], 1_000);
  const buy = (order: number, level: 'standard' | 'fast') =>
    rule.purchased(makePurchase('sub_1', [], makeSent(order, { level })));
  return { reports, buy };
}

describe('the level of a purchase', () => {
  test('is that of its watch when it was planned, or since', () => {
    const { reports, buy } = createRule();
    buy(1, 'standard');
    buy(1, 'fast');
    buy(2, 'fast');
    assert.deepEqual(reports, []);
  });

  test('that the watch had only before it was planned is none of it', () => {
    const { reports, buy } = createRule();
    buy(2, 'standard');
    assert.equal(reports.length, 1);
    assert.match(reports[0]!, /level standard/);
  });
});
