import assert from 'node:assert/strict';
import { describe } from 'node:test';
import fc from 'fast-check';
import { testLedger } from '../../test/support/ledger.ts';
import { type Row, toRows } from '../database/rows.ts';
import { sql } from '../database/sql.ts';
import { getSpan, getStart, isLater, makeVersion, SPAN, toLatest, type Version } from '../url/version.ts';
import { getSpanSql, getStartSql, isLaterSql, toLatestSql } from './version-sql.ts';

/** Near to each other and on the borders of spans, so that every branch is met; before 1970, too. */
const moment = fc.oneof(
  fc.integer({ min: -(10 ** 12), max: 10 ** 13 }),
  fc.integer({ min: -400, max: 400 }).map((hours) => hours * 3_600_000),
  fc.integer({ min: -2_000, max: 2_000 }),
);
const version = fc.tuple(moment, fc.constantFrom(...Object.values(SPAN))).map(([at, span]) => makeVersion(at, span));
const pairs = fc.array(fc.tuple(fc.option(version), fc.option(version)), { minLength: 50, maxLength: 300 });

interface Answer {
  readonly later: boolean;
  readonly latest: Version | null;
  readonly start: number | null;
  readonly span: number | null;
}

describe('versions in SQL', () => {
  testLedger('are compared as in TypeScript', async ({ db }) => {
    await fc.assert(
      fc.asyncProperty(pairs, async (all) => {
        const rows = all.map((pair): Row => pair);
        const found = await db.all(sql<Omit<Answer, 'later'> & { later: number }>`
          SELECT CASE WHEN ${isLaterSql('r.a', 'r.b')} THEN 1 ELSE 0 END AS later,
            ${toLatestSql('r.a', 'r.b')} AS latest, ${getStartSql('r.a')} AS start, ${getSpanSql('r.a')} AS span
          FROM ${toRows({ a: 'bigint', b: 'bigint' }, rows)} AS r ORDER BY r.nr`);
        assert.deepEqual(
          found.map((row): Answer => ({ ...row, later: row.later === 1 })),
          all.map(
            ([a, b]): Answer => ({
              later: isLater(a, b),
              latest: toLatest(a, b),
              start: a === null ? null : getStart(a),
              span: a === null ? null : getSpan(a),
            }),
          ),
        );
      }),
      { numRuns: 40 },
    );
  });
});
