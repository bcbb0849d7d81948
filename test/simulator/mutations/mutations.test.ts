import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { describe, test } from 'node:test';
import { mutate } from './load.ts';
import { MUTATIONS } from './table/index.ts';

describe('the mutations of the simulator', () => {
  test('all apply to the code as it is, and leave it a program', () => {
    const stale: string[] = [];
    for (const mutation of MUTATIONS) {
      try {
        for (const text of mutate(mutation).values()) stripTypeScriptTypes(text);
      } catch (error) {
        stale.push(`"${mutation.name}": ${(error as Error).message}`);
      }
    }
    assert.deepEqual(stale, [], 'write these again for the code of today');
  });

  test('at least 40 change their file', () => {
    const changing = MUTATIONS.filter(({ also = [], ...first }) =>
      [first, ...also].every(({ from, to }) => from !== to),
    );
    assert.equal(changing.length, MUTATIONS.length);
    assert.ok(changing.length >= 40);
  });

  test('each has a name of its own', () => {
    assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
  });
});
