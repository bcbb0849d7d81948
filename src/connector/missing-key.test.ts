import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SecretMissingError } from '../config/secrets.ts';
import { createKeyMonitor } from './missing-key.ts';

function openScene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-key-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'key');
  const warnings: string[] = [];
  let time = 0;
  const check = createKeyMonitor({
    watch: 'shop',
    apiKey: { file },
    giveUpMs: 60_000,
    now: () => time,
    warn: (sentence) => warnings.push(sentence),
  });
  return {
    file,
    warnings,
    at: (ms: number) => {
      time = ms;
      check();
    },
  };
}

describe('a key that vanishes while a run is followed', () => {
  test('is reported once, with the file, and once when it is back', (t) => {
    const { file, warnings, at } = openScene(t);
    for (const ms of [0, 2_000, 4_000, 30_000]) at(ms);
    writeFileSync(file, 'a-key');
    at(31_000);
    at(32_000);
    assert.equal(warnings.length, 2);
    assert.ok(warnings[0]?.startsWith(`shop: The secret file ${file} cannot be read (ENOENT)`), warnings[0]);
    assert.match(String(warnings[0]), /Correct its path or permissions\. The run waits for it\.$/);
    assert.match(String(warnings[1]), /can be read again/);
  });

  test('is not reported while the file is replaced', (t) => {
    const { file, warnings, at } = openScene(t);
    at(0);
    writeFileSync(file, 'a-key');
    at(4_000);
    assert.deepEqual(warnings, []);
  });

  test('ends the command when it stays away, and says what is kept', (t) => {
    const { at } = openScene(t);
    at(0);
    assert.throws(
      () => at(60_000),
      (error) =>
        error instanceof SecretMissingError && /planned batches keep their idempotency keys/.test(error.message),
    );
  });
});
