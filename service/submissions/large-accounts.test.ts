import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Stats, SubmissionList } from '../../contract/responses.ts';
import { sql } from '../../src/database/sql.ts';
import { serviceTest, type TestClient } from '../../test/support/service.ts';
import { findDifferences } from '../operations/audit.ts';

/** More than two parts of a scan. */
const COUNT = 11_000;

const list = async (client: TestClient, query: string): Promise<SubmissionList> =>
  (await client.get<SubmissionList>(`/submissions?${query}`)).body.data;

describe('large accounts', () => {
  serviceTest('spec 4.5: the list of a large account is exact across its partial reads', async ({ client, db }) => {
    const body = { project: 'Model', urls: ['https://shop.example/model'] };
    const model = (await client.post('/submissions', 'large-key-0', body)).body.data.reference;
    await db.run(sql`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT})
    INSERT INTO submissions (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status,
      url_count, price, charged, created_at, ran_at)
    SELECT 'copy ' || i, account_id, 'copy ' || i, fingerprint, project,
      CASE WHEN i % 1000 = 0 THEN 'needle' ELSE searchable END, service,
      CASE WHEN i % 2 = 0 THEN 'completed' ELSE 'queued' END, url_count, price, 0, created_at, ran_at
    FROM submissions, n WHERE reference = ${model}`);
    assert.equal((await list(client, 'limit=1')).pagination.total, COUNT + 1);
    assert.equal((await list(client, 'limit=1&status=completed')).pagination.total, COUNT / 2);
    const last = await list(client, `limit=100&page=${Math.ceil((COUNT + 1) / 100)}`);
    assert.deepEqual(
      last.submissions.map(({ reference }) => reference),
      [model],
    );
    const deep = await list(client, 'status=completed&limit=50&page=105');
    assert.deepEqual(deep.submissions[0]?.reference, `copy ${COUNT - 2 * 104 * 50}`);
    const needles = await list(client, 'q=needle&limit=4&page=2');
    assert.equal(needles.pagination.total, 11);
    assert.deepEqual(
      needles.submissions.map(({ reference }) => reference),
      [7, 6, 5, 4].map((i) => `copy ${i}000`),
    );
    const holding = await list(client, 'url=https%3A%2F%2Fshop.example%2Fmodel');
    assert.deepEqual(
      holding.submissions.map(({ reference }) => reference),
      [model],
    );
    const { body: stats } = await client.get<Stats>('/stats');
    assert.deepEqual([stats.data.submissions.completed, stats.data.submissions.queued], [COUNT / 2, COUNT / 2 + 1]);
    assert.equal(stats.data.spending.submissions, 0.25);
    await db.run(sql`DELETE FROM submission_totals WHERE status = 'completed'`);
    await db.run(sql`UPDATE submission_totals SET urls = urls + 1`);
    const [difference] = (await findDifferences(db)).filter(({ rule }) => rule.startsWith('the totals'));
    assert.match(String(difference?.found), /5502 URLs/);
  });
});
