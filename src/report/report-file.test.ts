import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { keepReport, writeWhole } from './report-file.ts';

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-report-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('report files', () => {
  test('a file that may not be replaced is kept, and nothing is left beside it', (t) => {
    const folder = openFolder(t);
    const file = join(folder, 'report.html');
    writeWhole(file, 'one', { replace: false });
    assert.throws(() => writeWhole(file, 'two', { replace: false }), { code: 'EEXIST' });
    assert.deepEqual([readFileSync(file, 'utf8'), readdirSync(folder)], ['one', ['report.html']]);
    writeWhole(file, 'two', { replace: true });
    assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['two', 0o600]);
  });

  test('of a folder the last days are kept, and no other file is removed', (t) => {
    const folder = join(openFolder(t), 'reports');
    const day = (n: number) => Date.UTC(2026, 0, n, 6);
    for (const n of [1, 2, 3]) keepReport(folder, String(n), { at: day(n), keep: 2 });
    writeFileSync(join(folder, 'courier-report-notes.html'), 'mine');
    keepReport(folder, 'again', { at: day(3) + 1, keep: 2 });
    assert.deepEqual(readdirSync(folder).sort(), [
      'courier-report-2026-01-02.html',
      'courier-report-2026-01-03.html',
      'courier-report-notes.html',
    ]);
    assert.equal(readFileSync(join(folder, 'courier-report-2026-01-03.html'), 'utf8'), 'again');
  });
});
