import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexCheckResult } from '../../../contract/responses.ts';
import { sql } from '../../../src/database/sql.ts';
import { serviceTest, type TestClient, urlList } from '../../../test/support/service.ts';
import { findDifferences } from '../../operations/audit.ts';

const FOUND = 'https://a.example/1';
const MISSING = 'https://a.example/~missing';
const DOWN = 'https://a.example/~down';

const check = (client: TestClient, key: string, urls: unknown) =>
  client.post<IndexCheckResult>('/index-check', key, { urls });

describe('POST /index-check', () => {
  serviceTest(
    'spec 4.8 rule 1: 0.50 TRY per URL is charged once the request is valid; the result has every field',
    async ({ client }) => {
      const { status, body } = await check(client, 'check-one-key', [FOUND, MISSING]);
      assert.equal(status, 200);
      const { id, checked_at, results, ...rest } = body.data;
      assert.match(id, /^chk_/);
      assert.ok(Date.parse(checked_at) > 0);
      assert.deepEqual(rest, {
        url_count: 2,
        found_count: 1,
        unknown_count: 0,
        price_per_url: 0.5,
        charged: 1,
        currency: 'TRY',
      });
      assert.deepEqual(
        results.map(({ position, ...result }) => result),
        [
          { url: FOUND, status: 'found', found: true, reason: null },
          { url: MISSING, status: 'not_found', found: false, reason: null },
        ],
      );
      assert.equal(results[1]?.position, null);
      assert.equal(await client.balance(), 999);
    },
  );

  serviceTest('spec 4.8 rule 2: a rejected check is not charged', async ({ client }) => {
    const wrong: unknown[] = [[], [FOUND, FOUND], urlList(51), ['x'], 'x', undefined, [FOUND, `${FOUND}#a`]];
    for (const urls of wrong)
      assert.equal((await check(client, 'check-two-key', urls)).status, 422, JSON.stringify(urls)?.slice(0, 60));
    assert.equal((await client.post('/index-check', 'short', { urls: [FOUND] })).status, 400);
    assert.equal(await client.balance(), 1000);
    assert.equal((await check(client, 'check-two-key', urlList(50))).status, 200);
  });

  serviceTest(
    'spec 4.8 rule 3: when the execution fails, the charge is restored once and the entries say so',
    async ({ client, db }) => {
      assert.equal((await check(client, 'check-three-key', [FOUND, DOWN])).status, 503);
      assert.equal(await client.balance(), 1000);
      const entries = await db.all(
        sql<{ kind: string; amount: number }>`SELECT kind, amount FROM entries WHERE kind <> 'top_up' ORDER BY id`,
      );
      assert.deepEqual(
        entries.map(({ kind, amount }) => [kind, amount]),
        [
          ['charge', -1_000_000],
          ['restore', 1_000_000],
        ],
      );
    },
  );

  serviceTest(
    'spec 4.8 rule 4: a 503 has Retry-After, leaves no charge and can be retried with the same key',
    async ({ client }) => {
      const { status, headers, body } = await check(client, 'check-four-key', [DOWN]);
      assert.equal(status, 503);
      assert.equal(body.error?.code, 'index_check_unavailable');
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.equal((await check(client, 'check-four-key', [FOUND])).status, 200);
    },
  );

  serviceTest(
    'spec 4.8 rule 5: the same key and body returns the first result without a charge; another body is 409',
    async ({ client }) => {
      const first = await check(client, 'check-five-key', [FOUND, MISSING]);
      const again = await check(client, 'check-five-key', [FOUND, MISSING]);
      assert.equal(again.status, 200);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(again.body.data, first.body.data);
      assert.equal((await check(client, 'check-five-key', [FOUND])).status, 409);
      assert.equal(await client.balance(), 999);
    },
  );

  serviceTest(
    'spec 4.8: parallel requests with one key are charged once and all get the result',
    async ({ client }) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => check(client, 'check-parallel', [FOUND])));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1);
      assert.equal(await client.balance(), 999.5);
    },
  );

  serviceTest(
    'spec 4.8: an insufficient balance is 402',
    async ({ client }) => {
      assert.equal((await check(client, 'check-poor-key', [FOUND, MISSING])).status, 402);
      assert.equal(await client.balance(), 0.75);
    },
    { balance: '0.75' },
  );

  serviceTest(
    'spec 4.8: a charge that a crash left behind is restored when its lease ends; until then the key is in progress',
    async ({ client, db }) => {
      await check(client, 'check-crash-key', [FOUND]);
      // As a process that died between its two transactions leaves it.
      await db.run(
        sql`UPDATE index_checks SET status = 'executing', results = NULL, finished_at = NULL, lease_until = ${Date.now() + 1_500}`,
      );
      const waiting = await check(client, 'check-crash-key', [FOUND]);
      assert.equal(waiting.status, 409);
      assert.equal(waiting.body.error?.code, 'request_in_progress');
      assert.ok(Number(waiting.headers.get('retry-after')) >= 1);
      while ((await client.balance()) !== 1000) await sleep(50);
      assert.equal((await check(client, 'check-crash-key', [FOUND])).status, 200);
    },
    { settings: { indexCheck: { waitMs: 100 } } },
  );

  serviceTest(
    'spec 4.8 rule 3: a URL without a provider result is unknown and not charged; the others keep their result',
    async ({ client, db }) => {
      const urls = [FOUND, 'https://a.example/~unknown', MISSING, 'https://a.example/~toolong'];
      const first = await check(client, 'check-unknown-key', urls);
      assert.equal(first.status, 200);
      const { results, charged, found_count, unknown_count } = first.body.data;
      assert.deepEqual(
        results.map(({ status }) => status),
        ['found', 'unknown', 'not_found', 'unknown'],
      );
      assert.ok(results[1]?.found === null && results[1].reason !== null && results[3]?.reason !== null);
      assert.deepEqual([found_count, unknown_count, charged], [1, 2, 1]);
      assert.equal(await client.balance(), 999);
      const again = await check(client, 'check-unknown-key', urls);
      assert.deepEqual(again.body.data, first.body.data);
      const only = await check(client, 'check-toolong-key', ['https://a.example/~toolong']);
      assert.deepEqual([only.status, only.body.data.charged], [200, 0]);
      assert.deepEqual(await findDifferences(db), []);
    },
  );

  serviceTest('spec 8: 50 URLs of 2,048 characters fit with any JSON escaping', async ({ client }) => {
    const urls = urlList(50).map((url) => url.padEnd(2_048, 'ü'));
    const escaped = JSON.stringify({ urls }).replaceAll('ü', '\\u00fc');
    assert.ok(escaped.length > 512 * 1024);
    assert.equal((await client.post('/index-check', 'check-escaped-key', escaped)).status, 200);
  });
});
