import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, test } from 'node:test';
import { mutate } from './load.ts';
import { MUTATIONS } from './table.ts';

describe('the mutations of the simulator', () => {
  test('at least 40 apply to the code as it is, and leave it a program', () => {
    const stale: string[] = [];
    for (const mutation of MUTATIONS) {
      let text: string;
      try {
        text = mutate(mutation);
      } catch (error) {
        stale.push((error as Error).message);
        continue;
      }
      assert.notEqual(text, readFileSync(mutation.file, 'utf8'), mutation.name);
      assert.doesNotThrow(() => stripTypeScriptTypes(text), mutation.name);
    }
    assert.ok(MUTATIONS.length - stale.length >= 40, `write these again for the code of today: ${stale.join('; ')}`);
  });

  test('each has a name of its own', () => {
    assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
  });
});
