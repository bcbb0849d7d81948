import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ActPlayed } from './play-acts.ts';

const PROGRAM = fileURLToPath(new URL('./play-acts.ts', import.meta.url));

/** The platform of a simulation takes the clock of its process: it has one of its own. */
const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM]);
const all = stdout
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ActPlayed);

describe('each act, alone in a world that is made for it', () => {
  for (const { act, shownIn, isCounted, twice } of all) {
    test(`${act}: happens, is counted, and lists no page twice`, () => {
      assert.notEqual(shownIn, null, 'its effect was in no world');
      assert.ok(isCounted, 'the table of pairs does not count it');
      assert.deepEqual(twice, [], 'these sitemaps listed a page twice');
    });
  }

  test('all of them were played', () => {
    assert.ok(all.length > 50, String(all.length));
  });
});
