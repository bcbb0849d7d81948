import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { omitImplied, readArchitecturePage, readTransitions, redraw } from '../../bin/write-drawings.ts';

describe('the drawings of the architecture', () => {
  test('are those of the dependency rules and of the transitions (npm run docs)', () => {
    const page = readArchitecturePage();
    assert.equal(page, redraw(page));
  });

  test('leave out only arrows that follow from others', () => {
    assert.deepEqual(omitImplied({ a: [], b: ['a'], c: ['a', 'b'], d: ['a'] }), {
      a: [],
      b: ['a'],
      c: ['b'],
      d: ['a'],
    });
  });

  test('leave out no change of a state', () => {
    const source = (from: string) =>
      `export async function refuse(tx) {\n  await change(tx, id, now, ${from}, 'refused', reason, []);\n}\n`;
    assert.deepEqual(readTransitions(source("['planned', 'sending']")), [
      { from: 'planned', to: 'refused', by: 'refuse' },
      { from: 'sending', to: 'refused', by: 'refuse' },
    ]);
    assert.throws(() => readTransitions(source('states')), /refuse: cannot read/);
  });
});
