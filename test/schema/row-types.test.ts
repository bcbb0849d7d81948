import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { compareRow, compareRows, toKey } from '../support/compare-rows.ts';
import { readRowTypes } from './row-types.ts';

describe('the type of a row', () => {
  const types = readRowTypes(['src/ledger', 'service']);

  test('is known of every statement that has one: its columns, and what each may hold', () => {
    assert.ok(types.size > 250, `only ${types.size} statements: this would prove nothing`);
    const [money] = [...types.values()].flat().filter(({ columns }) => columns.has('is_charged'));
    assert.deepEqual([...(money?.columns.get('is_charged') ?? [])].toSorted(), ['null', 'number']);
    assert.deepEqual([...(money?.columns.get('planned') ?? [])], ['number'], 'a name for a primitive type');
  });

  test('lacks a column, or a kind: both are seen', () => {
    const type = { file: 'a.ts', columns: new Map([['id', new Set(['number'] as const)]]) };
    assert.deepEqual(compareRow(type, { id: 1 }), []);
    assert.deepEqual(compareRow(type, { id: null }), ['a.ts: id is null, not number']);
    assert.deepEqual(compareRow(type, { url: 'u' }), ['a.ts: no column id, but url']);
  });

  test('is compared with what the statement returns, also inside a transaction', async () => {
    const query = sql<{ id: number }>`SELECT ${null} AS id`;
    const type = { file: 'a.ts', columns: new Map([['id', new Set(['number'] as const)]]) };
    const db = compareRows(openDatabase('sqlite::memory:'), new Map([[toKey(query.strings), [type]]]));
    for (const ask of [db.all, db.get, db.one]) await assert.rejects(ask(query), /a\.ts: id is null, not number/);
    await assert.rejects(
      db.tx((tx) => tx.one(query)),
      /id is null/,
    );
    await db.close();
  });
});
