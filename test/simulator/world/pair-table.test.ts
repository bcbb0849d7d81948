import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CANNOT_MEET } from './cannot-meet.ts';
import { toPage } from './pair-page.ts';
import { listRare, listWrongObstacles, PairTable } from './pair-table.ts';

const HOUR = 3_600_000;

function count(table: PairTable, one: string, other: string): number {
  const pair = table.list().find((each) => each.one === one && each.other === other);
  assert.ok(pair !== undefined, `${one} × ${other}`);
  return pair.seeds;
}

describe('the table of pairs', () => {
  test('counts a pair once for a seed, in either order, and within an hour alone', () => {
    const table = new PairTable();
    const states = ['batch sent'] as const;
    table.add([
      { kind: 'check', at: 0, states },
      { kind: 'run', at: HOUR, states: [] },
      { kind: 'run', at: HOUR + 1, states: [] },
      { kind: 'check', at: 2 * HOUR + 2, states },
    ]);
    table.add([
      { kind: 'run', at: 0, states },
      { kind: 'check', at: 0, states: [] },
    ]);
    assert.equal(count(table, 'run', 'check'), 2);
    assert.equal(count(table, 'run', 'run'), 1);
    assert.equal(count(table, 'check', 'check'), 0, 'more than an hour lies between');
    assert.equal(count(table, 'check', 'batch sent'), 1);
    assert.equal(count(table, 'run', 'batch sent'), 1);
    assert.equal(count(table, 'run', 'batch accepted'), 0);
  });

  test('leaves sequences out, which are played alone', () => {
    const table = new PairTable();
    table.add([{ kind: 'in review beside a cap', at: 0, states: ['batch sent'] }]);
    assert.ok(table.list().every(({ seeds }) => seeds === 0));
  });

  test('names a pair that cannot meet and does, and is not reported otherwise by its place', () => {
    for (const { each, other } of CANNOT_MEET) {
      const table = new PairTable();
      const isAct = table.list().some(({ one }) => one === other[0]);
      table.add([
        { kind: each[0]!, at: 0, states: isAct ? [] : [other[0] as never] },
        ...(isAct ? [{ kind: other[0] as never, at: 0, states: [] }] : []),
      ]);
      assert.equal(listWrongObstacles(table.list()).length, 1, `${each[0]} × ${other[0]}`);
      assert.ok(!toPage(table.list(), 1, 'mixed').includes('undefined'));
    }
  });

  test('each entry of the list of those that cannot meet names what the program has', () => {
    const pairs = new PairTable().list();
    const names = new Set<string>(pairs.flatMap(({ one, other }) => [one, other]));
    for (const { each, other } of CANNOT_MEET) for (const name of [...each, ...other]) assert.ok(names.has(name), name);
    const without = pairs.filter(({ obstacle }) => obstacle !== null).length;
    const listed = CANNOT_MEET.flatMap(({ each, other }) => each.flatMap((one) => other.map((two) => `${one} ${two}`)));
    assert.equal(new Set(listed).size, without);
    assert.equal(listRare(pairs).length, pairs.length - without);
  });
});
