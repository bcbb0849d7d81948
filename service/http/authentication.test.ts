import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/database/sql.ts';
import { TEST_DIALECTS } from '../../test/support/database.ts';
import { openService, serviceTest, TestClient, urlList } from '../../test/support/service.ts';
import { openAdministration, startService } from '../serve.ts';

const ENDPOINTS: [string, string][] = [
  ['GET', '/me'],
  ['GET', '/balance'],
  ['GET', '/stats'],
  ['GET', '/submissions'],
  ['GET', '/submissions/sub_x'],
  ['POST', '/submissions'],
  ['POST', '/index-check'],
];

describe('authentication and rate limits', () => {
  serviceTest(
    'spec 5: every endpoint but GET / refuses a missing, invalid or revoked key with 401',
    async ({ client, service, account }) => {
      const [key] = await service.accounts.keys(account);
      const unknown = client.key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
      const headers: Record<string, string>[] = [
        { 'x-api-key': '' },
        { authorization: '' },
        { authorization: 'Bearer' },
        { authorization: `Basic ${client.key}` },
        { authorization: client.key },
        { authorization: `Bearer ${unknown}` },
        { authorization: `Bearer ${client.key} x` },
        { 'x-api-key': `${client.key}, ${client.key}` },
        { authorization: `Bearer ${client.key}`, 'x-api-key': unknown },
      ];
      for (const sent of headers) {
        const answer = await client.get('/balance', sent);
        assert.equal(answer.status, 401, JSON.stringify(Object.keys(sent)));
        assert.equal(answer.body.error?.code, 'unauthorized');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
      await service.accounts.revokeKey(key!.id);
      for (const [method, path] of ENDPOINTS) assert.equal((await client.send(method, path)).status, 401, path);
    },
  );

  serviceTest(
    'spec 5: Bearer in any letter case and X-API-Key are equivalent; if both are sent they must agree',
    async ({ client }) => {
      const accepted: Record<string, string>[] = [
        { authorization: `Bearer ${client.key}` },
        { authorization: `bEARER ${client.key}` },
        { 'x-api-key': client.key },
        { authorization: `Bearer ${client.key}`, 'x-api-key': client.key },
      ];
      for (const sent of accepted) assert.equal((await client.get('/balance', sent)).status, 200);
    },
  );

  serviceTest('spec 5: a key is stored only as a hash', async ({ client, db }) => {
    await client.post('/submissions', 'hash-only-key', { urls: urlList(1) });
    for (const table of ['accounts', 'entries', 'api_keys', 'submissions', 'submission_urls', 'budgets']) {
      const rows = await db.all({ strings: [`SELECT * FROM ${table}`], parts: [] });
      assert.ok(!JSON.stringify(rows).includes(client.key.slice(12)), table);
    }
  });

  for (const dialect of TEST_DIALECTS) {
    test(`spec 5: revoking and regenerating take effect on the next request, in every process (${dialect})`, async (t) => {
      const first = await openService(t, dialect);
      // SQLite has one service process; the command line of an operator is another one.
      const second = dialect === 'postgres' ? await openService(t, dialect, { database: first.url }) : first;
      const { accounts, close } = await openAdministration(first.url);
      t.after(close);
      const elsewhere = new TestClient(second.service.baseUrl, first.client.key);
      assert.equal((await elsewhere.get('/balance')).status, 200);
      const [key] = await accounts.keys(first.account);
      const { apiKey } = await accounts.regenerateKey(key!.id);
      assert.equal((await elsewhere.get('/balance')).status, 401);
      assert.equal((await new TestClient(second.service.baseUrl, apiKey).get('/balance')).status, 200);
    });
  }

  test('a second service on one SQLite file does not start and says why', async (t) => {
    const { url } = await openService(t, 'sqlite');
    await assert.rejects(startService({ database: url }), /used by another courier-service process/);
  });

  const SMALL = { minute: { limit: 3, windowMs: 1_500 } };

  serviceTest(
    'spec 8: over the limit is 429, a denied request uses no budget, and a retry after Retry-After succeeds',
    async ({ client }) => {
      const statuses = [];
      for (let index = 0; index < 5; index++) statuses.push((await client.get('/balance')).status);
      assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
      const denied = await client.get('/me');
      assert.equal(denied.body.error?.code, 'rate_limited');
      assert.equal(denied.headers.get('x-ratelimit-remaining-minute'), '0');
      await sleep(Number(denied.headers.get('retry-after')) * 1_000);
      assert.equal((await client.get('/balance')).status, 200);
    },
    { limits: SMALL },
  );

  serviceTest(
    'spec 8: a denied submission uses no budget of any window',
    async ({ client }) => {
      await client.post('/submissions', 'denied-key-1', { urls: urlList(1) });
      const before = Number((await client.get('/balance')).headers.get('x-ratelimit-remaining-hour'));
      for (let index = 0; index < 3; index++)
        assert.equal((await client.post('/submissions', 'denied-key-2', {})).status, 429);
      assert.equal(Number((await client.get('/balance')).headers.get('x-ratelimit-remaining-hour')), before - 1);
    },
    { limits: { submissions: { limit: 1, windowMs: 60_000 } } },
  );

  serviceTest(
    'spec 8: each key has its own budget, and a 401 uses none',
    async ({ client, service, account }) => {
      for (let index = 0; index < 3; index++) await client.get('/balance');
      assert.equal((await client.get('/balance')).status, 429);
      const { id } = await service.accounts.account(account);
      const other = new TestClient(client.baseUrl, (await service.accounts.createKey({ account: id })).apiKey);
      for (let index = 0; index < 5; index++) await other.get('/balance', { authorization: 'Bearer x' });
      assert.equal((await other.get('/balance')).headers.get('x-ratelimit-remaining-minute'), '2');
    },
    { limits: { minute: { limit: 3, windowMs: 60_000 } } },
  );

  serviceTest(
    'spec 8: every authenticated response carries the budgets of minute, hour and day',
    async ({ client }) => {
      const answers = [
        await client.get('/balance'),
        await client.get('/submissions?page=0'),
        await client.get('/submissions/nothing'),
        await client.post('/submissions', 'short', {}),
        await client.post('/index-check', 'budget-key', '{'),
        await client.post('/submissions', 'budget-key', { urls: urlList(1) }),
      ];
      for (const [index, { headers }] of answers.entries()) {
        assert.equal(headers.get('x-ratelimit-limit-minute'), '120');
        assert.equal(headers.get('x-ratelimit-limit-hour'), '3000');
        assert.equal(headers.get('x-ratelimit-limit-day'), '30000');
        assert.equal(headers.get('x-ratelimit-remaining-minute'), String(119 - index));
        assert.equal(headers.get('x-ratelimit-remaining-hour'), String(2_999 - index));
        assert.equal(headers.get('x-ratelimit-remaining-day'), String(29_999 - index));
        assert.ok(Number(headers.get('x-ratelimit-reset-minute')) <= 61);
        assert.match(headers.get('ratelimit') ?? '', /^"minute";r=\d+;t=\d+, "hour";r=\d+;t=\d+, "day";r=\d+;t=\d+/);
        assert.match(
          headers.get('ratelimit-policy') ?? '',
          /^"minute";q=120;w=60, "hour";q=3000;w=3600, "day";q=30000;w=86400/,
        );
      }
      assert.equal(answers.at(-1)?.headers.get('x-ratelimit-limit-submissions'), '10');
    },
    {
      settings: { budgets: {} },
      limits: {
        minute: { limit: 120, windowMs: 60_000 },
        hour: { limit: 3_000, windowMs: 3_600_000 },
        day: { limit: 30_000, windowMs: 86_400_000 },
        submissions: { limit: 10, windowMs: 60_000 },
      },
    },
  );

  for (const dialect of TEST_DIALECTS) {
    test(`spec 8: the budgets survive a restart (${dialect})`, async (t) => {
      const limits = { hour: { limit: 5, windowMs: 3_600_000 } };
      const first = await openService(t, dialect, { limits });
      for (let index = 0; index < 5; index++) await first.client.get('/balance');
      await first.service.close();
      const second = await openService(t, dialect, { database: first.url, limits });
      assert.equal((await new TestClient(second.service.baseUrl, first.client.key).get('/balance')).status, 429);
    });
  }

  test('spec 8: two processes on one Postgres allow no more requests than one', {
    skip: !TEST_DIALECTS.includes('postgres' as never) && 'COURIER_TEST_POSTGRES is not set',
  }, async (t) => {
    const limits = { minute: { limit: 20, windowMs: 60_000 } };
    const first = await openService(t, 'postgres', { limits });
    const second = await openService(t, 'postgres', { database: first.url, limits });
    const elsewhere = new TestClient(second.service.baseUrl, first.client.key);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 ? elsewhere : first.client).get('/balance')),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 20);
    assert.equal(answers.filter(({ status }) => status === 429).length, 40);
    assert.equal((await first.db.all(sql`SELECT 1 FROM budgets`)).length, 1);
  });

  test('on Postgres, a denied request takes no lock and writes nothing, and one key does not delay another', {
    skip: !TEST_DIALECTS.includes('postgres' as never) && 'COURIER_TEST_POSTGRES is not set',
  }, async (t) => {
    const { client, db, service, account } = await openService(t, 'postgres', {
      limits: { minute: { limit: 2, windowMs: 60_000 } },
    });
    const { id } = await service.accounts.account(account);
    const { apiKey } = await service.accounts.createKey({ account: id });
    const other = new TestClient(client.baseUrl, apiKey);
    await client.get('/balance');
    await client.get('/balance');
    const written = () => db.all(sql<{ key_id: string }>`SELECT key_id, windows, version, updated_at FROM budgets`);
    const before = await written();
    await db.tx(async (tx) => {
      await tx.run(sql`SELECT 1 FROM budgets FOR UPDATE`);
      const denied = await Promise.all(Array.from({ length: 20 }, () => client.get('/balance')));
      assert.deepEqual([...new Set(denied.map(({ status }) => status))], [429]);
      assert.equal((await other.get('/balance')).status, 200);
    });
    assert.deepEqual(
      (await written()).filter(({ key_id }) => before.some((row) => row.key_id === key_id)),
      before,
    );
  });
});
