import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { readPlanFile } from './plan-file.ts';

const watch = { watch: 'shop', run: 'watch/shop/plan-1', digest: 'ab', urls: 3, cost_micros: null, guards: [] };

function write(t: TestContext, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-plan-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'plan.json');
  writeFileSync(file, content);
  return file;
}

describe('a plan file', () => {
  test('is read back as it was written', (t) => {
    const plan = { type: 'courier-plan', version: 1, watches: [watch] };
    assert.deepEqual(readPlanFile(write(t, JSON.stringify(plan))), plan);
  });

  const refused: readonly (readonly [label: string, content: string, why: RegExp])[] = [
    ['is not JSON', 'plan', /not a plan.*JSON/],
    [
      'is of another version',
      JSON.stringify({ type: 'courier-plan', version: 2, watches: [] }),
      /version 2 of the format/,
    ],
    [
      'has a field too many',
      JSON.stringify({ type: 'courier-plan', version: 1, watches: [{ ...watch, x: 1 }] }),
      /unexpected contents/,
    ],
    ['is something else', JSON.stringify([1]), /unexpected contents/],
  ];
  for (const [label, content, why] of refused) {
    test(`that ${label} is refused with exit code 2, and nothing is planned`, (t) => {
      const file = write(t, content);
      assert.throws(() => readPlanFile(file), { exitCode: 2, message: why });
      assert.throws(() => readPlanFile(file), /Nothing was planned or charged/);
    });
  }
});
