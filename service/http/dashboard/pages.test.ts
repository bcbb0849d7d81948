import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../../src/database/sql.ts';
import { changeEntries } from '../../../test/support/change-entries.ts';
import { openVisitor, Visitor } from '../../../test/support/dashboard.ts';
import { type Bench, lira, serviceTest, TestClient, urlList } from '../../../test/support/service.ts';
import { begin, finish, recordOutcomes } from '../../processing/transitions.ts';
import { listMonths } from './pages/entries.ts';
import { readFilters } from './submission-filters.ts';

async function submit({ client }: Bench, project: string, urls = urlList(2)): Promise<string> {
  const { status, body } = await client.post('/submissions', `pages-${project.replace('=', '')}-0`, { project, urls });
  assert.equal(status, 202);
  return body.data.reference;
}

const references = (text: string): string[] => [
  ...new Set([...text.matchAll(/href="\/submissions\/(sub_[0-9a-z]+)"/g)].map((match) => match[1]!)),
];

describe('submissions on the dashboard', () => {
  serviceTest('are filtered as in the API, and the download holds what matches', async (bench) => {
    const shop = await submit(bench, 'shop');
    const blog = await submit(bench, '=blog', urlList(3, 'https://blog.example/'));
    await begin(bench.db, blog, Date.now());
    const visitor = await openVisitor(bench);
    const list = async (query: string) => references((await visitor.get(`/submissions?${query}`)).text);
    assert.deepEqual(await list(''), [blog, shop]);
    assert.deepEqual(await list('q=SHOP'), [shop]);
    assert.deepEqual(await list('status=processing'), [blog]);
    assert.deepEqual(await list('url=https%3A%2F%2Fblog.example%2F1'), [blog]);
    assert.deepEqual(await list('to=2020-01-01'), []);
    const { headers, text } = await visitor.get('/submissions.csv?status=processing');
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(headers.get('content-disposition')!, /^attachment; filename="submissions\.csv"$/);
    const [header, row, end] = text.split('\r\n');
    assert.match(header!, /^\uFEFF?reference,project,service,status,urls/);
    assert.ok(row!.startsWith(`${blog},'=blog,standard,processing,3,0,0,3,0.25,0.75,0,`), row);
    assert.equal(end, '');
  });

  serviceTest('an invalid filter is named and ignored', async (bench) => {
    const shop = await submit(bench, 'shop');
    const visitor = await openVisitor(bench);
    const { status, text } = await visitor.get('/submissions?status=lost&from=yesterday&url=ftp%3A%2F%2Fx');
    assert.equal(status, 200);
    for (const name of ['State', 'From (UTC)', 'Holds this URL'])
      assert.ok(text.includes(`“${name}” is not valid`), name);
    assert.deepEqual(references(text), [shop]);
  });

  serviceTest('URLs that failed come first, with their reason, and can be shown alone or downloaded', async (bench) => {
    const reference = await submit(bench, 'shop', urlList(130));
    await begin(bench.db, reference, Date.now());
    const outcomes = urlList(129).map((_, position) =>
      position === 128
        ? ({ position, status: 'failed', reason: 'key file <missing>' } as const)
        : ({ position, status: 'completed', reason: null } as const),
    );
    await recordOutcomes(bench.db, reference, outcomes, Date.now());
    const visitor = await openVisitor(bench);
    const urls = (text: string) =>
      [...text.matchAll(/<span>(https:\/\/shop\.example\/p\/\d+)<\/span>/g)].map((match) => match[1]);
    const first = (await visitor.get(`/submissions/${reference}`)).text;
    assert.deepEqual(
      urls(first).slice(0, 3),
      [128, 129, 0].map((number) => `https://shop.example/p/${number}`),
    );
    assert.ok(first.includes('key file &lt;missing&gt;'));
    assert.equal(urls(first).length, 30);
    const last = (await visitor.get(`/submissions/${reference}?page=99`)).text;
    assert.equal(urls(last).length, 10, 'a page behind the last one is the last one');
    assert.deepEqual(urls((await visitor.get(`/submissions/${reference}?show=failed`)).text), [
      'https://shop.example/p/128',
    ]);
    const csv = (await visitor.get(`/submissions/${reference}/urls.csv`)).text.split('\r\n');
    assert.equal(csv.length, 132);
    assert.equal(csv[1], '129,https://shop.example/p/128,failed,key file <missing>');
  });

  serviceTest('of another account are not found', async (bench) => {
    const other = await bench.service.accounts.createAccount({ name: `other ${Math.random()}`, price: lira('0.25') });
    const reference = await submit(bench, 'shop');
    await bench.db.run(sql`UPDATE submissions SET account_id = ${other.id} WHERE reference = ${reference}`);
    const visitor = await openVisitor(bench);
    for (const path of ['', '/urls.csv']) {
      const { status, text } = await visitor.get(`/submissions/${reference}${path}`);
      assert.equal(status, 404);
      assert.ok(!text.includes('shop.example'));
    }
    assert.deepEqual(references((await visitor.get('/submissions')).text), []);
    await bench.db.run(
      sql`UPDATE submissions SET account_id = (SELECT id FROM accounts WHERE name = ${bench.account})`,
    );
  });
});

describe('entries on the dashboard', () => {
  serviceTest(
    'are shown by month between two balances, link to what they were for, and can be downloaded',
    async (bench) => {
      const reference = await submit(bench, 'shop');
      await bench.service.accounts.topUp(bench.account, lira('5'), { reference: 'invoice 7', reason: 'paid' });
      await bench.db.run(sql`UPDATE accounts SET created_at = ${Date.UTC(2026, 8, 3)}`);
      const times = { top_up: Date.UTC(2026, 8, 30, 22), charge: Date.UTC(2026, 9, 2) };
      for (const [kind, time] of Object.entries(times)) {
        await changeEntries(bench.db, sql`UPDATE entries SET created_at = ${time} WHERE kind = ${kind}`);
      }
      const visitor = await openVisitor(bench);
      const october = (await visitor.get('/entries?month=2026-10')).text;
      assert.match(
        october,
        /Balance at the beginning<\/dt><dd>1,005\.00 TRY.*Balance at the end<\/dt><dd>1,004\.50 TRY/s,
      );
      assert.ok(october.includes(`<a href="/submissions/${reference}">`));
      const september = (await visitor.get('/entries?month=2026-09')).text;
      assert.ok(september.includes('paid · invoice 7') && !september.includes(reference));
      assert.match(september, /Balance at the beginning<\/dt><dd>0\.00 TRY/);
      const { headers, text } = await visitor.get('/entries.csv?month=2026-10');
      assert.match(headers.get('content-disposition')!, /statement-2026-10\.csv/);
      assert.match(
        text,
        new RegExp(
          `opening_balance,,,,,1005\\.00\\r\\n.*,charge,${reference},,,-0\\.50,.*closing_balance,,,,,1004\\.50`,
          's',
        ),
      );

      await visitor.submit('/account', '/account/language', { language: 'tr', zone: 'Europe/Istanbul' });
      const local = (await visitor.get('/entries?month=2026-10')).text;
      assert.ok(local.includes('invoice 7'), 'in Istanbul it was October already');
      assert.match(local, /Dönem başı bakiye<\/dt><dd>0,00 TRY/);
    },
  );

  serviceTest('the audit adds up every month, and says when the sums do not agree', async (bench) => {
    await submit(bench, 'shop');
    const visitor = await openVisitor(bench);
    const sound = (await visitor.get('/entries/audit')).text;
    assert.ok(sound.includes('Every sum agrees.'));
    assert.match(sound, /Sum of all entries<\/dt><dd>999\.50 TRY.*Balance<\/dt><dd>999\.50 TRY/s);
    const { headers, text } = await visitor.get('/entries/audit.csv');
    assert.match(headers.get('content-disposition')!, /audit\.csv/);
    assert.match(text, /0\.00,1000\.00,-0\.50,0\.00,0\.00,0\.00,999\.50,2\r\nbalance,,,,,,,999\.50,/);
    await bench.db.run(sql`UPDATE accounts SET balance = balance + 1`);
    assert.match(
      (await visitor.get('/entries/audit')).text,
      /The sums do not agree\. Nothing was changed\. Send this page/,
    );
    await bench.db.run(sql`UPDATE accounts SET balance = balance - 1`);
  });

  test('every month from the first to this one can be chosen', () => {
    assert.deepEqual(listMonths('2025-11', '2026-02'), ['2026-02', '2026-01', '2025-12', '2025-11']);
    assert.deepEqual(listMonths('2026-02', '2026-02'), ['2026-02']);
  });
});

describe('index-checks on the dashboard', () => {
  serviceTest('show what was found and charged; one that was not carried out cost nothing', async (bench) => {
    const { client } = bench;
    const found = ['https://shop.example/a', 'https://shop.example/~missing'];
    const { body } = await client.post<{ id: string }>('/index-check', 'pages-check-1', { urls: found });
    await client.post('/index-check', 'pages-check-2', { urls: ['https://shop.example/~down'] });
    const visitor = await openVisitor(bench);
    const list = (await visitor.get('/index-checks')).text;
    assert.match(list, /costs 0\.50 TRY per URL/);
    assert.match(list, /1\.00 TRY/);
    assert.match(list, /not carried out.*0\.00 TRY/s);
    const page = (await visitor.get(`/index-checks/${body.data.id}`)).text;
    assert.match(page, /shop\.example\/a<.*>found<.*~missing<.*>not found</s);
    assert.equal((await visitor.get('/index-checks/chk_unknown')).status, 404);
  });
});

describe('the overview', () => {
  serviceTest('says what to do first until there is a submission', async (bench) => {
    const [key] = await bench.service.accounts.keys(bench.account);
    const visitor = await openVisitor(bench);
    assert.match((await visitor.get('/')).text, /Start here.*You have a key\..*curl -X POST/s);
    await bench.service.accounts.revokeKey(key?.id ?? '');
    assert.match((await visitor.get('/')).text, /Start here.*<a class="button primary" href="\/keys">Make a key/s);
    const { id } = await bench.service.accounts.account(bench.account);
    const { apiKey } = await bench.service.accounts.createKey({ account: id });
    await new TestClient(bench.client.baseUrl, apiKey).post('/submissions', 'overview-start-1', { urls: urlList(1) });
    assert.doesNotMatch((await visitor.get('/')).text, /Start here/);
  });

  serviceTest('shows what each of the last days cost and how many URLs were accepted', async (bench) => {
    const first = await submit(bench, 'first', urlList(4));
    await submit(bench, 'second', urlList(2));
    const yesterday = Date.now() - 86_400_000;
    await changeEntries(bench.db, sql`UPDATE entries SET created_at = ${yesterday} WHERE subject = ${first}`);
    await begin(bench.db, first, 1);
    const outcomes = [0, 1, 2, 3].map((position) => ({ position, status: 'failed', reason: 'x' }) as const);
    await recordOutcomes(bench.db, first, outcomes, 2);
    await finish(bench.db, first, { refundFailed: true, now: Date.now() });
    const { text } = await (await openVisitor(bench)).get('/');
    const bars = [...text.matchAll(/<title>([^<]+)<\/title><\/rect>/g)].map((match) => match[1]!.split(': ')[1]);
    assert.equal(bars.length, 60);
    assert.deepEqual(bars.slice(28, 30), ['1.00 TRY', '−0.50 TRY'], 'a refund counts on its own day');
    assert.deepEqual(bars.slice(58, 60), ['4', '2']);
    assert.match(text, /URLs failed<\/dt><dd>4</);
    assert.match(text, /Index-check<\/dt><dd>0\.50 TRY/);
  });
});

describe('language', () => {
  serviceTest('is what the browser prefers, until the reader chooses', async (bench) => {
    const visitor = new Visitor(bench);
    const heading = async (language: string) =>
      /<h1>([^<]+)</.exec((await visitor.get('/', { 'accept-language': language })).text)?.[1];
    assert.equal(await heading('tr-TR,tr;q=0.9,en;q=0.8'), 'Giriş');
    assert.equal(await heading('de,en;q=0.5,tr;q=0.7'), 'Giriş');
    assert.equal(await heading('de'), 'Sign in');
    assert.equal(await heading('tr;q=0, en'), 'Sign in');
    assert.equal((await visitor.get('/?language=tr')).location, '/');
    assert.equal(await heading('en'), 'Giriş');
    assert.equal((await visitor.get('/?language=xx')).status, 200);
  });
});

describe('the API page', () => {
  serviceTest(
    'shows the address as the client reached it, a first request that works, and every operation',
    async (bench) => {
      const { client } = bench;
      const { text } = await (await openVisitor(bench)).get('/contract');
      assert.ok(text.includes(`>${client.baseUrl.replace('127.0.0.1', new URL(client.baseUrl).hostname)}<`));
      for (const operation of ['POST /submissions', 'GET /submissions/{reference}', 'POST /index-check', 'GET /me']) {
        assert.ok(text.includes(`<code>${operation}</code>`), operation);
      }
      const body = /-d &#39;(.*?)&#39;/.exec(text)![1]!.replaceAll('&quot;', '"');
      const key = /Idempotency-Key: ([\w-]+)/.exec(text)![1]!;
      assert.equal((await client.post('/submissions', key, body)).status, 202);
    },
  );
});

describe('filters of submissions', () => {
  for (const [name, valid, invalid] of [
    ['status', 'failed', 'done'],
    ['url', 'https://shop.example/a?b=c', 'shop.example'],
    ['from', '2026-02-28', '2026-02-30'],
    ['to', '2026-12-31', '31.12.2026'],
    ['q', 'shop', 'x'.repeat(121)],
  ] as const) {
    test(`${name} takes "${valid}" and not "${invalid.slice(0, 20)}"`, () => {
      assert.deepEqual(readFilters({ [name]: valid }).query, { [name]: valid });
      assert.deepEqual(readFilters({ [name]: invalid }).invalid, [name]);
      assert.deepEqual(readFilters({ [name]: invalid }).query, {});
    });
  }
});
