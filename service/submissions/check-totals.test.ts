import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Stats } from '../../contract/responses.ts';
import { sql } from '../../src/database/sql.ts';
import { serviceTest } from '../../test/support/service.ts';
import { findDifferences } from '../operations/audit.ts';

const FOUND = 'https://a.example/found';
const MISSING = 'https://a.example/~missing';
const UNKNOWN = 'https://a.example/~unknown';

describe('totals of index-checks', () => {
  serviceTest(
    'spec 4.4: /stats counts answered checks at what they cost, and the audit compares them',
    async ({ client, db }) => {
      const check = (key: string, urls: readonly string[]) => client.post('/index-check', key, { urls });
      const stats = async () => {
        const { index_checks, spending } = (await client.get<Stats>('/stats')).body.data;
        return { ...index_checks, spent: spending.index_checks };
      };
      assert.deepEqual(await stats(), { total: 0, urls: 0, found: 0, spent: 0 });
      await check('totals-key-1', [FOUND, UNKNOWN]);
      await check('totals-key-2', [MISSING]);
      const both = { total: 2, urls: 3, found: 1, spent: 1 };
      assert.deepEqual(await stats(), both, 'the unknown URL was not charged');
      await check('totals-key-1', [FOUND, UNKNOWN]);
      assert.deepEqual(await stats(), both, 'a repeated key counts once');
      assert.deepEqual(await findDifferences(db), []);

      await db.run(sql`UPDATE index_checks SET status = 'executing' WHERE idempotency_key = 'totals-key-2'`);
      assert.deepEqual(
        await stats(),
        { total: 1, urls: 2, found: 1, spent: 0.5 },
        'one without its answer is not counted',
      );
      await db.run(sql`UPDATE index_checks SET status = 'done' WHERE idempotency_key = 'totals-key-2'`);

      await db.run(sql`UPDATE check_totals SET urls_found = urls_found + 1`);
      const [difference] = await findDifferences(db);
      assert.equal(difference?.rule, 'the totals of an account are those of its index-checks');
      assert.match(String(difference?.found), /2 checks, 3 URLs, 2 found/);
    },
  );
});
