import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Outcome } from './second-run.ts';

const FILES = {
  'passes.test.mjs': `import test from 'node:test'; test('holds', () => {});`,
  'fails.test.mjs': `import { describe, test } from 'node:test';
    describe('group', () => { test('a', () => { throw new Error('no'); }); test('b', () => { throw new Error('no'); }); });`,
  'dies.test.mjs': 'process.exit(7);',
  'to-do.test.mjs': `import test from 'node:test'; test('not yet', { todo: true }, () => { throw new Error('no'); });`,
};

/** Runs the files in a process of their own: a test runner within a test runner runs nothing. */
async function play(t: TestContext, ...names: readonly (keyof typeof FILES)[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-run-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) writeFileSync(join(folder, name), FILES[name]);
  const files = JSON.stringify(names.map((name) => join(folder, name)));
  const script = `const { runFiles } = await import(${JSON.stringify(import.meta.resolve('./run-files.ts'))});
    process.stderr.write('OUTCOME ' + JSON.stringify(await runFiles(${files}, [], {})) + '\\n');`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  const outcome = JSON.parse(/^OUTCOME (.*)$/m.exec(stderr)?.[1] ?? 'null') as Outcome;
  return { ...outcome, failed: outcome.failed.map((file) => file.slice(file.lastIndexOf('/') + 1)).toSorted() };
}

describe('runFiles', () => {
  test('names no file when all tests hold, or are not expected to', async (t) => {
    assert.deepEqual(await play(t, 'passes.test.mjs', 'to-do.test.mjs'), { code: 0, failed: [] });
  });

  test('names each file with a failed test once, and the file whose process died', async (t) => {
    assert.deepEqual(await play(t, 'passes.test.mjs', 'fails.test.mjs', 'dies.test.mjs'), {
      code: 1,
      failed: ['dies.test.mjs', 'fails.test.mjs'],
    });
  });
});
