import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, test } from 'node:test';
import { mutate } from './load.ts';
import { MUTATIONS } from './table.ts';

describe('the mutations of the simulator', () => {
  test('each changes a text that its file has once, and the file stays a program', () => {
    for (const mutation of MUTATIONS) {
      const text = mutate(mutation);
      assert.notEqual(text, readFileSync(mutation.file, 'utf8'), mutation.name);
      assert.doesNotThrow(() => stripTypeScriptTypes(text), mutation.name);
    }
  });

  test('there are at least 40, each with a name of its own', () => {
    assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
    assert.ok(MUTATIONS.length >= 40);
  });
});
