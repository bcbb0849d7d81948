import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';
import { isSystemTest, listTests, ROOT } from '../suites.ts';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+|node:child_process|node:cluster|playwright-core)'/g;
const TEMPORAL = /COURIER_TEST_TEMPORAL|startDevServer|startLocalServer/;

/** Whether a file starts processes or needs Temporal, by itself or through a helper of the tests. */
function needsSystem(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (TEMPORAL.test(text)) return true;
  return [...text.matchAll(IMPORT)].some(([, specifier = '']) => {
    if (!specifier.startsWith('.')) return true;
    const target = posix.join(posix.dirname(file), specifier);
    return target.startsWith('test/') && needsSystem(target, seen);
  });
}

/** Their own subject is how tests are chosen and started. */
const ABOUT_SUITES = ['test/rules/suites.test.ts', 'test/rules/test-variables.test.ts'];

describe('unit tests', () => {
  test('a test that starts a process or needs Temporal is named NAME.system.test.ts, or lies in chaos, e2e or replay', () => {
    const files = listTests('all').filter((file) => !isSystemTest(file) && !ABOUT_SUITES.includes(file));
    assert.ok(files.length > 80, 'no tests found: this test would prove nothing');
    assert.deepEqual(
      files.filter((file) => needsSystem(file)),
      [],
    );
  });

  test('nothing is called a system test that is none', () => {
    const named = listTests('all').filter((file) => file.endsWith('.system.test.ts'));
    assert.ok(named.every(isSystemTest));
    assert.deepEqual(
      named.filter((file) => !needsSystem(file)),
      [],
    );
  });
});
