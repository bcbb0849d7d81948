import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openDatabase } from '../src/database/open.ts';
import { raw } from '../src/database/sql.ts';
import { emptyDatabaseUrl } from '../test/support/database.ts';
import { findPgBouncer, startPgBouncer } from '../test/support/pgbouncer.ts';
import { AMPLE, openService, TestClient, urlList } from '../test/support/service.ts';

const program = findPgBouncer();
const postgres = process.env.COURIER_TEST_POSTGRES;
const skip =
  (program === null && 'PgBouncer is not installed') ||
  (postgres === undefined && 'COURIER_TEST_POSTGRES names no Postgres');

type Hook = () => Promise<void> | void;

/**
 * Gives `work` the address of an empty database behind a pooler with two connections, on which another program left its
 * settings. The pooler ends after what `work` opens.
 */
async function behindPooler(t: TestContext, work: (database: string) => Promise<void>): Promise<void> {
  const hooks: Hook[] = [];
  try {
    const pooler = await startPgBouncer(
      { after: (hook: Hook) => void hooks.push(hook) },
      program ?? '',
      postgres ?? '',
    );
    pooler.searchParams.set('pooler', 'transaction');
    const other = openDatabase(pooler.href);
    await other.run(raw('SET search_path = pg_catalog; SET lock_timeout = 7'));
    await other.close();
    pooler.searchParams.set('schema', new URL(emptyDatabaseUrl(t, 'postgres')).searchParams.get('schema') ?? '');
    await work(pooler.href);
  } finally {
    // After the hooks of `work`: they run in the order in which they were added.
    for (const hook of hooks) t.after(hook);
  }
}

describe('the service behind PgBouncer in transaction mode', { skip }, () => {
  test('charges each submission once, however many requests share a connection', (t) =>
    behindPooler(t, async (database) => {
      const { client } = await openService(t, 'postgres', { database, balance: '100' });
      const answers = await submitAtOnce(client, 40, (n) => n % 20);
      // 200: the answer to a key that the service knows.
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array(20).fill(200),
        ...Array(20).fill(202),
      ]);
      assert.equal(new Set(answers.map(({ body }) => body.data.reference)).size, 20);
      // 20 submissions of two URLs at 0.25.
      assert.equal(await client.balance(), 90);
      const { reference } = answers[0]!.body.data;
      assert.equal((await client.detail(reference)).reference, reference);
    }));

  test('never spends more than the balance, however many requests arrive at once', (t) =>
    behindPooler(t, async (database) => {
      const { client } = await openService(t, 'postgres', { database, balance: '1' });
      const answers = await submitAtOnce(client, 12, (n) => n);
      assert.equal(answers.filter(({ status }) => status === 202).length, 2);
      assert.equal(await client.balance(), 0);
    }));

  test('two processes count the limits of a key together', (t) =>
    behindPooler(t, async (database) => {
      // Longer than the test can take.
      const settings = { budgets: { ...AMPLE, minute: { limit: 10, windowMs: 3_600_000 } } };
      const first = await openService(t, 'postgres', { database, settings });
      const second = await openService(t, 'postgres', { database, settings });
      const clients = [first.client, new TestClient(second.service.baseUrl, first.client.key)];
      const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => clients[n % 2]!.get('/balance')));
      const counts = Map.groupBy(answers, ({ status }) => status);
      assert.deepEqual([counts.get(200)?.length, counts.get(429)?.length], [10, 14]);
    }));
});

/** Submissions of two URLs each at the same time; those with the same number are the same one. */
const submitAtOnce = (client: TestClient, requests: number, getNumber: (request: number) => number) =>
  Promise.all(
    Array.from({ length: requests }, (_, request) => {
      const number = getNumber(request);
      return client.post('/submissions', `pooled-key-${number}`, {
        urls: urlList(2, `https://shop.example/${number}/`),
      });
    }),
  );
