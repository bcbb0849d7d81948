import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { findStoredBundle, storeBundle, toStoredBundle } from './bundle-store.ts';

describe('a stored bundle', () => {
  test('is found while its inputs are unchanged', (t) => {
    const { file, code } = storeOne(t);
    assert.equal(findStoredBundle(file)?.code, code);
  });

  test('is not found after an input has changed', (t) => {
    const { file, input } = storeOne(t);
    writeFileSync(input, 'export const b = 2;');
    assert.equal(findStoredBundle(file), null);
  });

  test('is not found after an input was deleted', (t) => {
    const { file, input } = storeOne(t);
    rmSync(input);
    assert.equal(findStoredBundle(file), null);
  });

  test('depends on the version of the bundler', (t) => {
    const names = Object.keys(storeOne(t).inputs);
    assert.ok(names.some((name) => /@temporalio.worker.package\.json$/.test(name)));
    assert.ok(names.some((name) => name.endsWith('make-bundle.ts')));
  });

  test('is not found when the file is missing or damaged', (t) => {
    const { file } = storeOne(t);
    assert.equal(findStoredBundle(`${file}.other`), null);
    writeFileSync(file, '{"code": "cut o');
    assert.equal(findStoredBundle(file), null);
  });

  test('is not required: a place that cannot be written is no failure', (t) => {
    const { input, file, code, inputs } = storeOne(t);
    // Below a file, nobody can create a folder.
    storeBundle(join(input, 'bundle.json'), { code, inputs });
    assert.equal(findStoredBundle(file)?.code, code);
  });
});

function storeOne(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-bundle-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const input = join(folder, 'b.ts');
  writeFileSync(input, 'export const b = 1;');
  const file = join(folder, 'new', 'bundle.json');
  const code = 'exports.b = 1;';
  const bundle = toStoredBundle(code, [input, join(folder, 'only-in-memory.cjs')]);
  storeBundle(file, bundle);
  return { file, input, ...bundle };
}
