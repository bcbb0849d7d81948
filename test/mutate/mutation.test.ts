import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawSample, nameMutations, type PlacedEdit } from './mutation.ts';

const TEXT = 'const a = 1;\nfunction f() {\n  return a > 1 || a > 2;\n}\n';

function edit(before: string, after: string, scope = 'f', from = 0): PlacedEdit {
  const start = TEXT.indexOf(before, from);
  return { operator: 'comparison', start, end: start + before.length, after, at: start, scope };
}

describe('the name of a mutation', () => {
  test('stays when other lines and other functions change', () => {
    const [here] = nameMutations('x.ts', TEXT, [edit('a > 1', 'a >= 1')]);
    const longer = `// more\nconst b = 2;\n${TEXT}`;
    const moved = { ...edit('a > 1', 'a >= 1'), start: longer.indexOf('a > 1'), end: longer.indexOf('a > 1') + 5 };
    const [there] = nameMutations('x.ts', longer, [{ ...edit('a', 'b', 'g'), start: 0, end: 0 }, moved]).slice(-1);
    assert.equal(there?.id, here?.id);
    assert.equal(here?.line, 3);
    assert.equal(there?.line, 5);
  });

  test('differs by file, function, operator, text and turn', () => {
    const first = edit('>', '>=');
    const second = edit('>', '>=', 'f', first.end);
    const ids = [
      ...nameMutations('x.ts', TEXT, [first, second]),
      ...nameMutations('y.ts', TEXT, [first]),
      ...nameMutations('x.ts', TEXT, [{ ...first, scope: 'g' }]),
      ...nameMutations('x.ts', TEXT, [{ ...first, operator: 'negation' }]),
      ...nameMutations('x.ts', TEXT, [{ ...first, after: '<' }]),
    ].map(({ id }) => id);
    assert.equal(new Set(ids).size, 6, ids.join('\n'));
  });

  test('is given once to what makes the same text, and never to what changes nothing', () => {
    const twice = { ...edit('a > 1', 'a >= 1'), operator: 'other' };
    assert.equal(nameMutations('x.ts', TEXT, [edit('>', '>='), twice, edit('>', '>')]).length, 1);
  });

  test('shows the line before and after', () => {
    const [made] = nameMutations('x.ts', TEXT, [edit('a > 1', 'true')]);
    assert.equal(made?.before, 'return a > 1 || a > 2;');
    assert.equal(made?.shown, 'return true || a > 2;');
  });
});

describe('a sample', () => {
  const pool = nameMutations(
    'x.ts',
    TEXT,
    Array.from({ length: 50 }, (_, n) => edit('a > 1', `a > ${n + 5}`)),
  );

  test('is the same for a seed, another for another, and keeps its members when the pool loses some', () => {
    const drawn = drawSample(pool, 10, 's').map(({ id }) => id);
    assert.deepEqual(
      drawSample(pool.toReversed(), 10, 's').map(({ id }) => id),
      drawn,
    );
    assert.notDeepEqual(
      drawSample(pool, 10, 't').map(({ id }) => id),
      drawn,
    );
    const fewer = pool.filter(({ id }) => id !== drawn[0]);
    assert.deepEqual(
      drawSample(fewer, 9, 's').map(({ id }) => id),
      drawn.slice(1),
    );
  });
});
