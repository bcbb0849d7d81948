import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../suites.ts';
import { Types } from './types.ts';

describe('the compiler, asked about a change', () => {
  test('the compiler refuses a change that breaks a type, and forgets it again', () => {
    const file = 'test/mutate/example.ts';
    const text = readFileSync(join(ROOT, file), 'utf8');
    const change = (before: string, after: string) => {
      const start = text.indexOf(before);
      return { file, operator: 'await', start, end: start + before.length, after, at: null };
    };
    const types = new Types();
    try {
      assert.equal(types.findError(change('a < LIMIT', 'a <= LIMIT')), null);
      assert.match(types.findError(change("await run('next')", "run('next')")) ?? '', /Promise<number>/);
      assert.equal(types.findError(change("await run('over')", "run('over')")), null);
      assert.equal(types.findError(change('return found + (b', 'return (b')), null, 'found is unused');
    } finally {
      types.close();
    }
  });
});
