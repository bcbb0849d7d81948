import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeyRule } from './key-rule.ts';

describe('one body and one account for a key', () => {
  for (const [what, account, body, breach] of [
    ['the same again', 'a', '{}', null],
    ['another body', 'a', '{ }', /two bodies/],
    ['another account', 'b', '{}', /two accounts, a and b/],
  ] as const) {
    test(`${what} is ${breach === null ? 'allowed' : 'a breach'}`, () => {
      const found: string[] = [];
      const rule = new KeyRule((text) => found.push(text));
      rule.sent('k', 'a', '{}');
      rule.sent('k', account, body);
      if (breach === null) assert.deepEqual(found, []);
      else assert.match(found[0] ?? '', breach);
    });
  }
});
