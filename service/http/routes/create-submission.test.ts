import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Submission } from '../../../contract/responses.ts';
import { sql } from '../../../src/database/sql.ts';
import { lira, openService, serviceTest, urlList } from '../../../test/support/service.ts';

const URLS = ['https://shop.example/a', 'https://shop.example/b'];

describe('POST /submissions', () => {
  serviceTest(
    'spec 4.6 rule 1: a valid request is charged at the current price, queued and answered 202',
    async ({ client, service, account }) => {
      await service.accounts.setPrice(account, 'fast', lira('0.4'));
      const { status, headers, body } = await client.post('/submissions', 'rule-one-key', {
        urls: URLS,
        service: 'fast',
        project: 'İki',
      });
      assert.equal(status, 202);
      const { reference, created_at, ...rest } = body.data;
      assert.match(reference, /^sub_[0-9a-z]{26}$/);
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 10_000);
      assert.deepEqual(rest, {
        status: 'queued',
        project: 'İki',
        service: 'fast',
        url_count: 2,
        urls_pending: 2,
        urls_completed: 0,
        urls_failed: 0,
        price_per_url: 0.4,
        charged: 0.8,
        refunded: 0,
        currency: 'TRY',
        started_at: null,
        finished_at: null,
      });
      assert.equal(headers.get('location'), `/api/v1/submissions/${reference}`);
      assert.equal(await client.balance(), 999.2);
    },
  );

  serviceTest(
    'spec 4.6 rule 2: the same key and body again gets 200 with the original submission and no second charge',
    async ({ client }) => {
      const body = { project: 'Shop', urls: URLS, service: 'standard' };
      const first = await client.post('/submissions', 'rule-two-key', body);
      const reordered = `{ "urls" : ${JSON.stringify(URLS)},\n "service":"standard", "project": "Sh\\u006fp" }`;
      for (const sent of [body, reordered]) {
        const again = await client.post('/submissions', 'rule-two-key', sent);
        assert.equal(again.status, 200);
        assert.equal(again.body.data.reference, first.body.data.reference);
        assert.equal(again.headers.get('idempotent-replayed'), 'true');
        assert.notEqual(again.body.request_id, first.body.request_id);
      }
      assert.equal(first.headers.get('idempotent-replayed'), null);
      assert.equal(await client.balance(), 999.5);
    },
  );

  serviceTest(
    'spec 4.6 rule 3: the same key with another body is 409, and the order of URLs counts',
    async ({ client }) => {
      await client.post('/submissions', 'rule-three-key', { urls: URLS });
      for (const body of [{ urls: [...URLS].reverse() }, { urls: URLS, service: 'standard' }, { url: URLS[0] }]) {
        const { status, body: answer } = await client.post('/submissions', 'rule-three-key', body);
        assert.equal(status, 409);
        assert.equal(answer.error?.code, 'idempotency_conflict');
      }
      assert.equal(await client.balance(), 999.5);
    },
  );

  serviceTest(
    'spec 4.6 rule 4: an insufficient balance is 402 without a charge, and the same key works after a top-up',
    async ({ client, service, account }) => {
      const body = { urls: urlList(5) };
      const refused = await client.post('/submissions', 'rule-four-key', body);
      assert.equal(refused.status, 402);
      assert.equal(refused.body.error?.code, 'insufficient_balance');
      assert.equal(await client.balance(), 1);
      await service.accounts.topUp(account, lira('0.25'));
      assert.equal((await client.post('/submissions', 'rule-four-key', body)).status, 202);
      assert.equal(await client.balance(), 0);
    },
    { balance: '1' },
  );

  const INVALID: Record<string, unknown> = {
    'neither url nor urls': { project: 'Shop' },
    'an empty list': { urls: [] },
    'two equal URLs': { urls: ['https://a.example/x', 'https://a.example/x'] },
    'two URLs that differ in the letter case of scheme and host': {
      urls: ['https://a.example/x', 'HTTPS://A.Example/x'],
    },
    'two URLs that differ in the default port': { urls: ['https://a.example/x', 'https://a.example:443/x'] },
    'two URLs that differ in the fragment': { urls: ['https://a.example/x', 'https://a.example/x#top'] },
    'two URLs that differ in the slash of an empty path': { urls: ['https://a.example', 'https://a.example/'] },
    'a URL with user name and password': { url: 'https://user:secret@a.example/x' },
    'a URL with a user name': { urls: ['https://a.example/', 'https://user@a.example/x'] },
    'an FTP URL': { urls: ['ftp://a.example/x'] },
    'a relative URL': { url: '/x' },
    'no URL at all': { urls: ['x'] },
    'a URL with a space': { urls: ['https://a.example/a b'] },
    'a URL without a host': { url: 'https:///x' },
    'a URL with a port that cannot be': { url: 'https://a.example:99999/' },
    'a URL that is a number': { urls: [5] },
    'a URL of 2,049 characters': { url: `https://a.example/${'x'.repeat(2_031)}` },
    'urls that is a text': { urls: 'https://a.example/x' },
    '5,001 URLs': { urls: urlList(5_001) },
    '5,000 URLs and another url': { url: 'https://a.example/', urls: urlList(5_000) },
    'a project of one character': { url: URLS[0], project: 'x' },
    'a project of 121 characters': { url: URLS[0], project: 'x'.repeat(121) },
    'a project that is null': { url: URLS[0], project: null },
    'a project with NUL': { url: URLS[0], project: 'a\u0000b' },
    'half a surrogate pair': { url: URLS[0], project: 'a\ud800b' },
    'an unknown service': { url: URLS[0], service: 'slow' },
    'an unknown member': { url: URLS[0], servce: 'fast' },
    'a list instead of an object': [URLS[0]],
    'a text instead of an object': '"https://a.example/"',
    null: 'null',
  };

  serviceTest(
    'spec 4.6 rule 5: every invalid request is 422 without a charge, and its key stays unused',
    async ({ client }) => {
      for (const [what, body] of Object.entries(INVALID)) {
        const { status, body: answer } = await client.post('/submissions', 'rule-five-key', body);
        assert.equal(status, 422, what);
        assert.equal(answer.error?.code, 'validation_failed', what);
        assert.ok((answer.error?.details ?? []).length > 0, `${what}: details`);
      }
      assert.equal(await client.balance(), 1000);
      assert.equal((await client.post('/submissions', 'rule-five-key', { urls: URLS })).status, 202);
    },
  );

  serviceTest('spec 4.6 rule 5: a 422 names each invalid URL by its index, at most a hundred', async ({ client }) => {
    const some = await client.post('/submissions', 'names-key', {
      urls: ['https://a.example/', 'x', 'https://b.example/', 7],
    });
    assert.deepEqual(
      some.body.error?.details?.map(({ field, index }) => [field, index]),
      [
        ['urls', 1],
        ['urls', 3],
      ],
    );
    const repeated = await client.post('/submissions', 'names-key', {
      urls: ['https://a.example/', 'https://b.example/', 'https://A.example/'],
    });
    assert.deepEqual(repeated.body.error?.details, [
      { field: 'urls', index: 2, reason: 'is the same URL as the one at index 0' },
    ]);
    const many = await client.post('/submissions', 'names-key', { urls: Array.from({ length: 5_000 }, () => 'x') });
    assert.equal(many.body.error?.details?.length, 100);
  });

  serviceTest(
    'spec 4.6 rule 6: a submission over the limit is 429 with Retry-After',
    async (bench) => {
      const { client } = bench;
      for (let index = 0; index < 2; index++)
        assert.equal((await client.post('/submissions', `rule-six-${index}`, { urls: URLS })).status, 202);
      const { status, headers, body } = await client.post('/submissions', 'rule-six-2', { urls: URLS });
      assert.equal(status, 429);
      assert.equal(body.error?.code, 'rate_limited');
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.equal((await client.get('/balance')).status, 200, 'other requests have their own budget');
    },
    { limits: { submissions: { limit: 2, windowMs: 60_000 } } },
  );

  serviceTest(
    'spec 4.6 rule 8: an unreadable body is 400, another Content-Type 415, an oversized body 413',
    async ({ client }) => {
      const bad: [number, string, string, Record<string, string>][] = [
        [400, 'invalid_json', '{"urls":', {}],
        [400, 'invalid_json', '', {}],
        [400, 'invalid_idempotency_key', JSON.stringify({ urls: URLS }), { 'idempotency-key': 'short' }],
        [400, 'invalid_idempotency_key', JSON.stringify({ urls: URLS }), { 'idempotency-key': 'x'.repeat(101) }],
        [400, 'invalid_idempotency_key', JSON.stringify({ urls: URLS }), { 'idempotency-key': 'with space' }],
        [400, 'invalid_idempotency_key', JSON.stringify({ urls: URLS }), { 'idempotency-key': 'slash/slash' }],
        [415, 'unsupported_media_type', JSON.stringify({ urls: URLS }), { 'content-type': 'text/plain' }],
        [415, 'unsupported_media_type', JSON.stringify({ urls: URLS }), { 'content-type': 'application/vnd.api+json' }],
        [
          415,
          'unsupported_media_type',
          JSON.stringify({ urls: URLS }),
          { 'content-type': 'application/json; charset=utf-16' },
        ],
        [413, 'payload_too_large', `"${'x'.repeat(12 * 1024 * 1024)}"`, {}],
      ];
      for (const [status, code, body, headers] of bad) {
        const answer = await client.post('/submissions', 'rule-eight-key', body, headers);
        assert.equal(answer.status, status, `${code}: ${body.slice(0, 40)}`);
        assert.equal(answer.body.error?.code, code);
      }
      const missing = await client.send('POST', '/submissions', {
        body: '{}',
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(missing.body.error?.code, 'invalid_idempotency_key');
      const nothing = await client.send('POST', '/submissions', { headers: { 'idempotency-key': 'rule-eight-key' } });
      assert.equal(nothing.status, 415);
      const charset = await client.post(
        '/submissions',
        'rule-eight-key',
        { urls: URLS },
        { 'content-type': 'Application/JSON; charset=UTF-8' },
      );
      assert.equal(charset.status, 202);
    },
  );

  serviceTest(
    'spec 4.6: errors take precedence in the order 401, 429, 415, 413, 400 JSON, 400 key, 422, 409, 402',
    async ({ client, service }) => {
      const wrong = { 'content-type': 'text/plain', 'idempotency-key': '?' };
      const unauthenticated = await client.post('/submissions', '?', '{', { ...wrong, authorization: 'Bearer nobody' });
      assert.equal(unauthenticated.status, 401);
      const huge = 'x'.repeat(13 * 1024 * 1024);
      assert.equal((await client.post('/submissions', '?', huge, wrong)).status, 415);
      assert.equal((await client.post('/submissions', '?', huge)).status, 413);
      assert.equal((await client.post('/submissions', '?', '{')).body.error?.code, 'invalid_json');
      assert.equal((await client.post('/submissions', '?', '{}')).body.error?.code, 'invalid_idempotency_key');
      await client.post('/submissions', 'precedence-key', { url: 'https://a.example/' });
      assert.equal((await client.post('/submissions', 'precedence-key', {})).status, 422);
      assert.equal(
        (await client.post('/submissions', 'precedence-key', { urls: urlList(5_000) })).status,
        409,
        'before 402',
      );
      assert.equal((await client.post('/submissions', 'precedence-new', { urls: urlList(5_000) })).status, 402);
      assert.ok(service);
    },
    { balance: '1' },
  );

  serviceTest(
    'spec 4.6: an idempotency key belongs to the account: a retry with another API key does not charge twice',
    async ({ client, service, account }) => {
      const first = await client.post('/submissions', 'rotated-key', { urls: URLS });
      const { id } = await service.accounts.account(account);
      const { apiKey } = await service.accounts.createKey({ account: id });
      const again = await client.post(
        '/submissions',
        'rotated-key',
        { urls: URLS },
        { authorization: `Bearer ${apiKey}` },
      );
      assert.equal(again.status, 200);
      assert.equal(again.body.data.reference, first.body.data.reference);
    },
  );

  serviceTest(
    'spec 4.6: an idempotency key belongs to the operation: an index-check may use the same one',
    async ({ client }) => {
      assert.equal((await client.post('/submissions', 'both-operations', { urls: URLS })).status, 202);
      assert.equal((await client.post('/index-check', 'both-operations', { urls: URLS })).status, 200);
    },
  );

  serviceTest('spec 2.2: url alone, url beside urls, and defaults', async ({ client }) => {
    const alone = await client.post('/submissions', 'url-alone-key', { url: URLS[0] });
    assert.equal(alone.body.data.project, 'API Submission');
    assert.equal(alone.body.data.service, 'standard');
    const repeated = await client.post('/submissions', 'url-repeated-key', { url: URLS[1], urls: URLS });
    assert.equal(repeated.body.data.url_count, 2, 'url repeated in urls counts once');
    const beside = await client.post('/submissions', 'url-beside-key', { url: 'https://shop.example/c', urls: URLS });
    const { urls } = await client.detail(beside.body.data.reference);
    assert.deepEqual(
      urls.map(({ url }) => url),
      ['https://shop.example/c', ...URLS],
    );
  });

  serviceTest(
    'spec 2.2: 5,000 URLs of 2,048 characters are accepted, projects count code points',
    async ({ client }) => {
      const urls = urlList(5_000).map((url) => url.padEnd(2_048, 'x'));
      const { status, body } = await client.post('/submissions', 'largest-key', { urls, project: '😀'.repeat(120) });
      assert.equal(status, 202);
      const last = await client.detail(body.data.reference, '?url_page=10&url_limit=500');
      assert.equal(last.urls.at(-1)?.url, urls[4_999]);
    },
    { balance: '5000' },
  );

  serviceTest('spec 2.2: Unicode hosts and paths are accepted and shown as sent', async ({ client }) => {
    const urls = ['https://münchen.example/straße?q=ü#ß', 'HTTP://Shop.Example:80/A', 'https://例え.テスト/パス'];
    const { body } = await client.post('/submissions', 'unicode-key', { urls });
    const detail = await client.detail(body.data.reference);
    assert.deepEqual(
      detail.urls.map(({ url }) => url),
      urls,
    );
  });

  test('spec 2.3: the default service level is configurable', async (t) => {
    const { client } = await openService(t, 'sqlite', { defaultService: 'fast' });
    assert.equal((await client.post('/submissions', 'default-key', { url: URLS[0] })).body.data.service, 'fast');
  });

  serviceTest(
    'spec 4.6 rule 1: the charge, the submission and its URLs are stored together or not at all',
    async ({ client, db }) => {
      await client.post<Submission>('/submissions', 'whole-key-1', { urls: urlList(10) });
      await client.post<Submission>('/submissions', 'whole-key-2', { urls: urlList(10) });
      const counts = await db.get(sql<{ submissions: number; urls: number; charges: number }>`
    SELECT (SELECT count(*) FROM submissions) AS submissions, (SELECT count(*) FROM submission_urls) AS urls,
      (SELECT count(*) FROM entries WHERE kind = 'charge') AS charges`);
      assert.deepEqual({ ...counts }, { submissions: 1, urls: 10, charges: 1 });
    },
    { balance: '3' },
  );

  serviceTest('spec 4.6 rule 4: a cost above any possible balance is 402', async ({ client, service, account }) => {
    await service.accounts.setPrice(account, 'standard', lira('9000000000'));
    const { status, body } = await client.post('/submissions', 'huge-price-key', {
      urls: urlList(5_000),
      service: 'standard',
    });
    assert.equal(status, 402);
    assert.equal(body.error?.code, 'insufficient_balance');
    await service.accounts.setPrice(account, 'standard', lira('0.1'));
    const again = await client.post('/submissions', 'huge-price-key', { urls: urlList(5_000), service: 'standard' });
    assert.equal(again.status, 202);
  });

  serviceTest('spec 4.6 rule 8: a compressed body is 415, not broken JSON', async ({ client }) => {
    const compressed = await client.post('/submissions', 'gzip-key-1', 'x', { 'content-encoding': 'gzip' });
    assert.equal(compressed.status, 415);
    assert.match(compressed.body.message, /Content-Encoding/);
    const plain = await client.post('/submissions', 'gzip-key-1', { url: URLS[0] }, { 'content-encoding': 'identity' });
    assert.equal(plain.status, 202);
  });

  serviceTest('spec 4.6 rule 5: the message of a 422 is well-formed for any input', async ({ client }) => {
    const name = `${'x'.repeat(39)}\u{1f600}`;
    const { body } = await client.post('/submissions', 'surrogate-key', { url: URLS[0], [name]: 1 });
    assert.ok(JSON.stringify(body).isWellFormed() && !JSON.stringify(body).includes('\\ud83d'));
  });
});
