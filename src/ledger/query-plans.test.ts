import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { HOT_QUERIES } from '../../test/support/hot-queries.ts';
import { testLedger } from '../../test/support/ledger.ts';
import { join, type Query, raw, sql } from '../database/sql.ts';
import type { Ledger } from './open-ledger.ts';

async function explain({ db }: Ledger, query: Query): Promise<string> {
  const rows = await db.all(sql<{ detail: string }>`${join([raw('EXPLAIN QUERY PLAN'), query], ' ')}`);
  return rows.map(({ detail }) => detail).join('\n');
}

describe('query plans', () => {
  testLedger(
    'no query before a purchase, of a check or of a scrape scans a table that grows with history',
    async (ledger) => {
      // Postgres decides by statistics: postgres-plans.test.ts has them.
      if (ledger.db.dialect !== 'sqlite') return;
      for (const { what, query, index } of HOT_QUERIES) {
        const plan = await explain(ledger, query);
        assert.ok(plan.includes(index), `${what} does not use ${index}:\n${plan}`);
        assert.doesNotMatch(
          plan,
          /SCAN (urls|u|q|b|m|batches|batch_urls|j|e|journal|journal_totals|checks|check_queue|check_urls|runs|watch_days)\b/,
          what,
        );
      }
    },
  );
});
