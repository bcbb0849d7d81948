import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Migration } from '../../src/database/migrate.ts';
import { STORES } from './dump-schema.ts';
import { findBreaking, findUnreviewed } from './find-breaking.ts';

/** Steps up to here are older than any program that may still run. */
const BASELINE: Readonly<Record<string, number>> = { ledger: 3, 'rate-limit': 1, service: 1 };

/** By component, steps that the rule refuses, and why a program of the version before survives them. */
const REVIEWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  service: { 'interrupted deletions': 'it deletes the URLs of these submissions again, as it does of any that is due' },
};

describe('a program of the version before survives', () => {
  for (const { component, migrations } of STORES) {
    test(`every step of the ${component} since the baseline`, () => {
      const baseline = BASELINE[component];
      assert.ok(baseline !== undefined && baseline <= migrations.length);
      assert.deepEqual(findUnreviewed(migrations.slice(baseline), REVIEWED[component] ?? {}), []);
    });
  }

  test('a step that is refused, where a review says why; a review that no step needs is refused', () => {
    const steps: Migration[] = [
      { name: 'a safe step', statements: () => ['ALTER TABLE runs ADD COLUMN size BIGINT'] },
      { name: 'a step that drops an index', statements: () => ['DROP INDEX urls_due'] },
    ];
    assert.deepEqual(findUnreviewed(steps, {}), ['a step that drops an index: DROP INDEX urls_due']);
    assert.deepEqual(findUnreviewed(steps, { 'a step that drops an index': 'older statements read the table' }), []);
    assert.deepEqual(findUnreviewed(steps.slice(0, 1), { 'a safe step': 'why not', 'a step of no list': 'why not' }), [
      'a safe step: needs no review',
      'a step of no list: needs no review',
    ]);
  });
});

describe('a step that a program of the version before may not survive', () => {
  const step = (...statements: string[]): Migration => ({ name: 'step', statements: () => statements });

  for (const [what, ...statements] of [
    ['drops a column', 'ALTER TABLE runs DROP COLUMN held'],
    ['renames a column', 'ALTER TABLE runs RENAME COLUMN held TO stopped'],
    ['renames a table', 'ALTER TABLE runs RENAME TO crawls'],
    ['drops a table', 'DROP TABLE runs'],
    ['drops an index', 'DROP INDEX urls_due'],
    ['adds a column that needs a value', 'ALTER TABLE runs ADD COLUMN size BIGINT NOT NULL'],
    ['adds a unique column', 'ALTER TABLE runs ADD COLUMN size BIGINT UNIQUE'],
    ['adds a column with a condition', 'ALTER TABLE runs ADD COLUMN size BIGINT CHECK (size > 0)'],
    ['computes a column for each row', 'ALTER TABLE runs ADD COLUMN at BIGINT NOT NULL DEFAULT (random())'],
    ['stores a generated column', 'ALTER TABLE urls ADD COLUMN q INT GENERATED ALWAYS AS (1) STORED'],
    ['makes a column needed', 'ALTER TABLE runs ALTER COLUMN held SET NOT NULL'],
    ['changes a type', 'ALTER TABLE runs ALTER COLUMN held TYPE BIGINT'],
    ['makes values unique', 'CREATE UNIQUE INDEX runs_by_held ON runs (held)'],
    ['builds an index of a large table in its transaction', 'CREATE INDEX urls_by_state ON urls (state)'],
    ['changes what is stored', `UPDATE batches SET state = 'stopped' WHERE state = 'needs_review'`],
    ['removes what is stored', 'DELETE FROM charges'],
    ['adds a trigger', 'CREATE TRIGGER t AFTER INSERT ON urls BEGIN SELECT 1; END'],
  ] as const) {
    test(`${what}: refused`, () => assert.equal(findBreaking([step(...statements)]).length, 1));
  }

  for (const [what, ...statements] of [
    ['adds a table with its indexes', 'CREATE TABLE t (a TEXT NOT NULL)', 'CREATE UNIQUE INDEX t_a ON t (a)'],
    ['changes a table of its own', 'CREATE TABLE t (a TEXT)', 'ALTER TABLE t ADD COLUMN b TEXT NOT NULL'],
    ['adds a column that may be NULL', 'ALTER TABLE runs ADD COLUMN size BIGINT'],
    ['adds a column with a constant', 'ALTER TABLE runs ADD COLUMN size BIGINT NOT NULL DEFAULT 0'],
    ['adds an index of a small table', 'CREATE INDEX runs_by_held ON runs (held)'],
    ['sets how a table is stored', 'ALTER TABLE urls SET (fillfactor = 50)'],
  ] as const) {
    test(`${what}: allowed`, () => assert.deepEqual(findBreaking([step(...statements)]), []));
  }

  test('builds an index of a large table beside the programs: allowed', () => {
    const index = { name: 'urls_by_state', table: 'urls', columns: 'state' };
    assert.deepEqual(findBreaking([{ name: 'step', index: () => index }]), []);
  });
});
