import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Leaving, SenderRule } from './sender-rule.ts';

const OWN: Leaving = { key: 'k', account: 'a', owner: 'a', isRepeat: false, mayBeCharged: false };

describe('who sends', () => {
  for (const [what, leaving, breach] of [
    ['the account of the watch', {}, null],
    ['another account', { owner: 'b' }, /its watch belongs to b/],
    ['another account, again, after a certain refusal', { owner: 'b', isRepeat: true }, null],
    ['a watch that is not configured', { owner: null }, /not configured/],
    [
      'a watch that is not configured, again, after a certain refusal',
      { owner: null, isRepeat: true },
      /not configured/,
    ],
    ['a watch that is not configured, and an attempt may be charged', { owner: null, mayBeCharged: true }, null],
    ['another account, and an attempt may be charged', { owner: 'b', mayBeCharged: true }, null],
  ] as const) {
    test(`${what}: ${breach === null ? 'allowed' : 'a breach'}`, () => {
      const found: string[] = [];
      new SenderRule((text) => found.push(text)).sent({ ...OWN, ...leaving });
      if (breach === null) assert.deepEqual(found, []);
      else assert.match(found[0] ?? '', breach);
    });
  }
});
