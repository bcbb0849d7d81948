// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mutateSql } from './mutate-sql.ts';
import type { Schema } from './schema.ts';

const SCHEMA: Schema = new Map([
  [
    'batches',
    new Map([
      ['id', 'BIGINT'],
      ['state', 'TEXT'],
      ['planned_at', 'BIGINT'],
      ['accepted_at', 'BIGINT'],
    ]),
  ],
]);
const STATES = new Map([['state', new Set(["'planned'", "'sending'"])]]);

/** The texts that one operator makes of a template; `${…}` is a hole. */
function make(text: string, operator: string): string[] {
  const holes = [...text.matchAll(/\$\{\w+\}/g)].map(({ index, 0: hole }) => ({
    start: index,
    end: index + hole.length,
  }));
  return mutateSql(text, { start: 0, end: text.length }, holes, { schema: SCHEMA, states: STATES })
    .filter((edit) => edit.operator === `sql-${operator}`)
    .map(({ start, end, after }) => text.slice(0, start) + after + text.slice(end));
}

const CASES: readonly (readonly [operator: string, text: string, made: readonly string[]])[] = [
  [
    'drop-condition',
    'SELECT id FROM batches WHERE id = ${id} AND state = ${s} ORDER BY id',
    [
      'SELECT id FROM batches WHERE 1 = 1 AND state = ${s} ORDER BY id',
      'SELECT id FROM batches WHERE id = ${id} AND 1 = 1 ORDER BY id',
    ],
  ],
  [
    'drop-condition',
    'SELECT id FROM batches WHERE (id = 1 OR id = f(2))',
    [
      'SELECT id FROM batches WHERE 1 = 1',
      'SELECT id FROM batches WHERE (1 = 0 OR id = f(2))',
      'SELECT id FROM batches WHERE (id = 1 OR 1 = 0)',
    ],
  ],
  ['drop-condition', 'c.at <= ${now}', ['1 = 1']],
  [
    'drop-condition',
    'INSERT INTO a SELECT b FROM c WHERE d > 1 ON CONFLICT (b) DO UPDATE SET b = 2',
    ['INSERT INTO a SELECT b FROM c WHERE 1 = 1 ON CONFLICT (b) DO UPDATE SET b = 2'],
  ],
  // An assignment looks like a comparison, and is none.
  ['drop-condition', 'not_before = NULL', []],
  ['negate', 'DELETE FROM batches WHERE id IS NULL', ['DELETE FROM batches WHERE NOT (id IS NULL)']],
  ['negate', 'SELECT 1 FROM a WHERE x BETWEEN 1 AND 2', ['SELECT 1 FROM a WHERE NOT (x BETWEEN 1 AND 2)']],
  [
    'negate',
    'SELECT 1 FROM a WHERE x IS DISTINCT FROM ${y} AND z IN (SELECT q FROM r WHERE q > 0)',
    [
      'SELECT 1 FROM a WHERE NOT (x IS DISTINCT FROM ${y}) AND z IN (SELECT q FROM r WHERE q > 0)',
      'SELECT 1 FROM a WHERE x IS DISTINCT FROM ${y} AND NOT (z IN (SELECT q FROM r WHERE q > 0))',
      'SELECT 1 FROM a WHERE x IS DISTINCT FROM ${y} AND z IN (SELECT q FROM r WHERE NOT (q > 0))',
    ],
  ],
  [
    'negate',
    'SELECT CASE WHEN x > 0 THEN 1 ELSE 0 END FROM a',
    ['SELECT CASE WHEN NOT (x > 0) THEN 1 ELSE 0 END FROM a'],
  ],
  ['and-or', 'SELECT 1 FROM a WHERE x AND y', ['SELECT 1 FROM a WHERE x OR y']],
  ['comparison', 'SELECT 1 FROM a WHERE x < 5', ['SELECT 1 FROM a WHERE x <= 5', 'SELECT 1 FROM a WHERE x >= 5']],
  [
    'column',
    'SELECT planned_at FROM batches AS b WHERE b.accepted_at IS NULL',
    [
      'SELECT accepted_at AS planned_at FROM batches AS b WHERE b.accepted_at IS NULL',
      'SELECT planned_at FROM batches AS b WHERE b.planned_at IS NULL',
    ],
  ],
  // Another name in a list of columns is an error of the database.
  ['column', 'INSERT INTO batches (id, planned_at) VALUES (1, 2)', []],
  ['state', "UPDATE batches SET state = 'planned'", ["UPDATE batches SET state = 'sending'"]],
  [
    'state',
    "SELECT 1 FROM batches WHERE state IN ('planned', 'x')",
    [
      "SELECT 1 FROM batches WHERE state IN ('sending', 'x')",
      "SELECT 1 FROM batches WHERE state IN ('', 'x')",
      "SELECT 1 FROM batches WHERE state IN ('planned', 'planned')",
      "SELECT 1 FROM batches WHERE state IN ('planned', '')",
    ],
  ],
  [
    'assignment',
    'UPDATE a SET x = 1, y = f(2, 3), z = 4 WHERE x',
    [
      'UPDATE a SET y = f(2, 3), z = 4 WHERE x',
      'UPDATE a SET x = 1, z = 4 WHERE x',
      'UPDATE a SET x = 1, y = f(2, 3) WHERE x',
    ],
  ],
  [
    'order',
    'SELECT 1 FROM a ORDER BY x DESC, f(y, 1) LIMIT 3',
    ['SELECT 1 FROM a ORDER BY x , f(y, 1) LIMIT 3', 'SELECT 1 FROM a ORDER BY x DESC, f(y, 1) DESC LIMIT 3'],
  ],
  ['limit', 'SELECT 1 FROM a LIMIT ${most}', ['SELECT 1 FROM a ']],
  ['number', 'SELECT 1 FROM a LIMIT 1', []],
  [
    'number',
    'SELECT 1 FROM a WHERE 1 = 1 AND x = 7',
    ['SELECT 1 FROM a WHERE 1 = 1 AND x = 8', 'SELECT 1 FROM a WHERE 1 = 1 AND x = 6'],
  ],
  ['coalesce', 'SET x = coalesce(x, ${now})', ['SET x = x', 'SET x = ${now}']],
  [
    'aggregate',
    'SELECT min(x), sum(y), count(*) FROM a',
    ['SELECT max(x), sum(y), count(*) FROM a', 'SELECT min(x), max(y), count(*) FROM a'],
  ],
  ['arithmetic', 'SET x = x + 1', ['SET x = x - 1']],
  // This plus keeps an index from being used; the star is no product.
  ['arithmetic', 'SELECT count(*) FROM a WHERE +x = 1', []],
  ['join', 'SELECT 1 FROM a LEFT JOIN b ON a.x = b.x', ['SELECT 1 FROM a  JOIN b ON a.x = b.x']],
  ['distinct', 'SELECT count(DISTINCT x) FROM a', ['SELECT count( x) FROM a']],
];

describe('a mutation of SQL', () => {
  for (const [operator, text, made] of CASES) {
    test(`${operator}: ${text}`, () => assert.deepEqual(make(text, operator), made));
  }
});
