import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../suites.ts';
import { hasRun, toRan } from './coverage.ts';

const FILE = 'src/x.ts';
const url = pathToFileURL(join(ROOT, FILE)).href;
const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });

/** A module of 100 characters with a function that ran but for one branch, and one that never ran. */
const RAN = toRan([
  {
    scriptId: '1',
    url,
    functions: [
      { functionName: '', isBlockCoverage: true, ranges: [range(0, 100, 1)] },
      { functionName: 'f', isBlockCoverage: true, ranges: [range(10, 50, 3), range(20, 30, 0), range(24, 26, 1)] },
      { functionName: 'g', isBlockCoverage: false, ranges: [range(60, 80, 0)] },
    ],
  },
]);
const ran = (at: number | null, file = FILE) => hasRun(RAN, { file, at });

describe('what has run', () => {
  test('is what the innermost range around it says', () => {
    const run = [5, 10, 19, 24, 25, 30, 49, 55, 80, 99];
    const not = [20, 23, 26, 29, 60, 79];
    assert.deepEqual(
      [...run, ...not].filter((at) => ran(at)),
      run,
    );
  });

  test('is all that runs as a file is loaded, when it is', () => {
    assert.equal(ran(null), true);
    assert.equal(ran(null, 'src/y.ts'), false);
    assert.equal(ran(5, 'src/y.ts'), false);
  });

  test('is nothing of a function that is not counted since the last count', () => {
    const later = toRan([
      { scriptId: '1', url, functions: [{ functionName: 'f', isBlockCoverage: true, ranges: [range(10, 50, 2)] }] },
    ]);
    assert.equal(hasRun(later, { file: FILE, at: 65 }), false);
    assert.equal(hasRun(later, { file: FILE, at: 15 }), true);
  });

  test('counts no package', () => {
    assert.deepEqual(toRan([{ scriptId: '1', url: `${pathToFileURL(ROOT)}node_modules/a/b.js`, functions: [] }]), {});
  });
});
