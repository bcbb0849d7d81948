import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { SubmissionList } from '../../../contract/responses.ts';
import { lira, serviceTest, type TestClient, urlList } from '../../../test/support/service.ts';

const list = async (client: TestClient, query: string): Promise<SubmissionList> =>
  (await client.get<SubmissionList>(`/submissions?${query}`)).body.data;

const references = async (client: TestClient, query: string): Promise<string[]> =>
  (await list(client, query)).submissions.map(({ reference }) => reference);

async function three(client: TestClient): Promise<[string, string, string]> {
  const made = [];
  for (const [index, project] of ['İstanbul yüzde%', 'Ankara_1', 'ankaraX1'].entries()) {
    const { body } = await client.post('/submissions', `list-key-${index}`, {
      project,
      urls: [`https://h${index}.example/x`, 'https://Common.example/y#z'],
    });
    made.push(body.data.reference);
  }
  return made as [string, string, string];
}

describe('GET /submissions', () => {
  serviceTest('spec 4.5: the list is newest first, in pages without gaps or repetitions', async ({ client }) => {
    const [first, second, third] = await three(client);
    const whole = await list(client, '');
    assert.deepEqual(
      whole.submissions.map(({ reference }) => reference),
      [third, second, first],
    );
    assert.deepEqual(whole.pagination, { page: 1, limit: 20, total: 3, total_pages: 1 });
    assert.deepEqual(await references(client, 'limit=2&page=1'), [third, second]);
    const last = await list(client, 'limit=2&page=2');
    assert.deepEqual(
      last.submissions.map(({ reference }) => reference),
      [first],
    );
    assert.deepEqual(last.pagination, { page: 2, limit: 2, total: 3, total_pages: 2 });
    assert.deepEqual(await references(client, 'page=2147483647&limit=100'), []);
    assert.deepEqual(
      Object.keys(whole.submissions[0]!),
      Object.keys((await client.post('/submissions', 'fields-key', { urls: urlList(1) })).body.data),
    );
  });

  serviceTest('spec 4.5: every filter works, alone and combined', async ({ client }) => {
    const [first, second, third] = await three(client);
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(await references(client, `reference=${second}`), [second]);
    assert.deepEqual(await references(client, 'reference=sub_unknown'), []);
    assert.deepEqual(await references(client, 'status=queued'), [third, second, first]);
    assert.deepEqual(await references(client, 'status=completed'), []);
    assert.deepEqual(await references(client, 'url=https%3A%2F%2Fh1.example%2Fx'), [second]);
    assert.deepEqual(await references(client, 'url=HTTPS%3A%2F%2Fcommon.example%3A443%2Fy'), [third, second, first]);
    assert.deepEqual(await references(client, 'url=https%3A%2F%2Fh1.example%2F'), []);
    assert.deepEqual(await references(client, 'q=ANKARA'), [third, second]);
    assert.deepEqual(await references(client, 'q=istanbul'), [first]);
    assert.deepEqual(await references(client, `q=${encodeURIComponent('ISTANBUL YÜZDE%')}`), [first]);
    assert.deepEqual(await references(client, 'q=ankara_'), [second], '_ is a character, not a wildcard');
    assert.deepEqual(await references(client, 'q=%25'), [first], '% is a character, not a wildcard');
    assert.deepEqual(await references(client, `q=${third.slice(-10)}`), [third], 'part of a reference');
    assert.deepEqual(await references(client, `from=${today}&to=${today}`), [third, second, first]);
    assert.deepEqual(await references(client, 'to=2020-01-01'), []);
    assert.deepEqual(await references(client, 'from=2999-01-01'), []);
    assert.deepEqual(
      await references(client, `q=ankara&url=https%3A%2F%2Fh2.example%2Fx&status=queued&from=${today}`),
      [third],
    );
  });

  serviceTest('spec 4.5: a query parameter out of range is 422, and the error names it', async ({ client }) => {
    const wrong = [
      'status=done',
      'page=0',
      'page=-1',
      'page=1e2',
      'page=1.5',
      'page=',
      'page=a',
      'page=1&page=2',
      'limit=0',
      'limit=101',
      `q=${'x'.repeat(121)}`,
      'from=2026-02-30',
      'from=yesterday',
      'to=2026-1-1',
      'url=x',
      'q=%00',
    ];
    for (const query of wrong) {
      const { status, body } = await client.get(`/submissions?${query}`);
      assert.equal(status, 422, query);
      assert.equal(body.error?.details?.[0]?.field, query.split('=')[0], query);
    }
    assert.equal((await client.get(`/submissions?q=${'x'.repeat(120)}&limit=100&unknown=1`)).status, 200);
    const nothing = [
      `page=1${'0'.repeat(30)}`,
      'page=2147483648',
      `reference=${'x'.repeat(300)}`,
      'reference=%00',
      'url=ftp%3A%2F%2Fa.example%2Fx',
      'url=mailto%3Aa%40b.example',
    ];
    for (const query of nothing) {
      const { status, body } = await client.get<SubmissionList>(`/submissions?${query}`);
      assert.equal(status, 200, query);
      assert.deepEqual(body.data.submissions, [], query);
    }
  });

  serviceTest(
    'spec 4.7: the detail has the submission and its URLs in pages, in the order sent',
    async ({ client }) => {
      const urls = urlList(250);
      const { body } = await client.post('/submissions', 'detail-key', { urls, service: 'fast' });
      const { reference } = body.data;
      const first = await client.detail(reference);
      assert.equal(first.reference, reference);
      assert.equal(first.status, 'queued');
      assert.deepEqual(first.url_pagination, { page: 1, limit: 100, total: 250, total_pages: 3 });
      assert.deepEqual(
        first.urls.map(({ url }) => url),
        urls.slice(0, 100),
      );
      assert.deepEqual(first.urls[0], {
        position: 0,
        url: urls[0],
        status: 'queued',
        reason: null,
        updated_at: first.created_at,
      });
      assert.deepEqual(
        (await client.detail(reference, '?url_page=3')).urls.map(({ url }) => url),
        urls.slice(200),
      );
      assert.equal((await client.detail(reference, '?url_limit=500')).urls.length, 250);
      assert.deepEqual((await client.detail(reference, '?url_page=2147483647')).urls, []);
      for (const query of ['url_page=0', 'url_limit=501', 'url_limit=0', 'url_page=x']) {
        assert.equal((await client.get(`/submissions/${reference}?${query}`)).status, 422, query);
      }
    },
  );

  serviceTest('spec 4.7: an unknown reference and one of another account are 404', async ({ client, service }) => {
    const { body } = await client.post('/submissions', 'theirs-key', { urls: urlList(1) });
    const other = await service.accounts.createAccount({ name: `other ${Math.random()}`, price: lira('1') });
    const { apiKey } = await service.accounts.createKey({ account: other.id });
    const authorization = `Bearer ${apiKey}`;
    for (const path of [
      `/submissions/${body.data.reference}`,
      '/submissions/nothing',
      `/submissions/${'x'.repeat(300)}`,
      '/submissions/%00',
      '/submissions/a%2Fb',
    ]) {
      const answer = await client.get(path, { authorization });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.body.error?.code, 'submission_not_found');
    }
    assert.equal((await client.get<SubmissionList>('/submissions', { authorization })).body.data.pagination.total, 0);
  });
});
