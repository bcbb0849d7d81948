import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSED_ALONE, runAgain } from './second-run.ts';

const PASSES = { code: 0, failed: [] };

describe('a second run', () => {
  test('is not made when all files passed, nor when many failed', async () => {
    const never = () => assert.fail('a second run');
    assert.deepEqual(await runAgain(PASSES, never), { code: 0, passedAlone: [] });
    const many = { code: 1, failed: ['a', 'b', 'c', 'd'] };
    assert.deepEqual(await runAgain(many, never), { code: 1, passedAlone: [] });
    assert.deepEqual(await runAgain({ code: 7, failed: [] }, never), { code: 7, passedAlone: [] });
  });

  test('of files that pass alone ends with a code of its own, which is neither success nor failure', async () => {
    const shown: string[] = [];
    const outcome = await runAgain({ code: 1, failed: ['a', 'b'] }, async (files) => {
      shown.push(...files);
      return PASSES;
    });
    assert.deepEqual(shown, ['a', 'b']);
    assert.deepEqual(outcome, { code: PASSED_ALONE, passedAlone: ['a', 'b'] });
    assert.ok(![0, 1].includes(PASSED_ALONE));
  });

  test('of files that fail alone, too, fails', async () => {
    const failing = { code: 1, failed: ['a'] };
    assert.deepEqual(await runAgain(failing, async () => failing), { code: 1, passedAlone: [] });
  });
});
