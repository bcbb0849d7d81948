import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listTests, ROOT } from '../suites.ts';

describe('test names', () => {
  test('every test file groups its tests under their subject with describe()', () => {
    const files = listTests('all');
    assert.ok(files.length > 150, 'no tests found: this test would prove nothing');
    assert.deepEqual(
      files.filter((file) => !/^ *describe\(/m.test(readFileSync(join(ROOT, file), 'utf8'))),
      [],
    );
  });
});
