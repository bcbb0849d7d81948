import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { crawled, shopUrl, testLedger } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';

describe('new URLs of a sitemap', () => {
  testLedger('lie in the table in the order of a plan, whatever the order of the sitemap', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['c', 'a', 'd', 'b'] });
    const rows = await ledger.db.all(sql<{ url: string }>`SELECT url FROM urls ORDER BY id`);
    assert.deepEqual(
      rows.map(({ url }) => url),
      ['a', 'b', 'c', 'd'].map(shopUrl),
    );
  });
});
