import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Database, Queryable } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import { compile, join, type Query, raw, sql } from '../src/database/sql.ts';
import { openVisitor } from '../test/support/dashboard.ts';
import { type Dialect, emptyDatabaseUrl, TEST_DIALECTS } from '../test/support/database.ts';
import {
  explainBoth,
  listScans,
  listWholeIndexes,
  multiplyStatistics,
  stopAutovacuum,
} from '../test/support/postgres-plans.ts';
import { recordStatements } from '../test/support/record-statements.ts';
import { AMPLE, type Bench, lira, TestClient, urlList } from '../test/support/service.ts';
import { MIGRATIONS } from './migrations.ts';
import { deleteOld } from './operations/retention.ts';
import { begin, expire, finish, listItems, recordOutcomes } from './processing/transitions.ts';
import { openService } from './serve.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

/** Tables that grow with what customers do. */
const LARGE = ['submissions', 'submission_urls', 'entries', 'index_checks', 'audit_events', 'api_keys', 'sessions'];
const ROWS = 4_000;
const TIMES = 250;
const NOW = Date.now();
/** Too young for the sweep of this test. */
const YOUNG = NOW + 100 * 86_400_000;

/** Rows of another customer, so that a plan has a choice. */
const FILL = [
  `INSERT INTO submissions (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status,
    url_count, price, charged, created_at, ran_at, finished_at, dispatched_at)
   SELECT 'r' || i, a.id, 'k' || i, '', 'p', 'p', 'standard', 'completed', 20, 0, 0, i, 0, i, i FROM n, accounts AS a`,
  `INSERT INTO submission_urls (submission_id, position, url, url_key)
   SELECT s.id, j.i, 'https://a.example/' || j.i, s.id * 20 + j.i FROM submissions AS s, n AS j WHERE j.i <= 20`,
  `INSERT INTO entries (account_id, kind, amount, balance_after, subject, created_at)
   SELECT a.id, 'top_up', 0, 0, 's' || i, i FROM n, accounts AS a`,
  `INSERT INTO index_checks (id, account_id, idempotency_key, fingerprint, status, urls, url_count, price, charged, charge_id,
    lease_until, created_at, finished_at) SELECT 'c' || i, a.id, 'k' || i, '', 'done', '[]', 1, 0, 0, e.id, 0, i, i
   FROM n, accounts AS a, (SELECT min(id) AS id FROM entries) AS e`,
  `INSERT INTO api_keys (id, account_id, name, prefix, hash, created_at, revoked_at)
   SELECT 'key' || i, a.id, 'n', 'p', CAST('h' || i AS BYTES), i, ${YOUNG} FROM n, accounts AS a`,
  // A customer has few sessions and events: those of many.
  `INSERT INTO accounts (public_id, name, price_standard, price_fast, created_at)
   SELECT 'acc_n' || i, 'n' || i, 0, 0, i FROM n WHERE i <= 200`,
  `INSERT INTO sessions (hash, id, account_id, csrf, address, agent, created_at, seen_at, expires_at)
   SELECT CAST('h' || i AS BYTES), 's' || i, a.id, 'c', '', '', i, i, ${YOUNG}
   FROM n JOIN accounts AS a ON a.name = 'n' || (i % 200 + 1)`,
  `INSERT INTO audit_events (account_id, event, actor, details, created_at)
   SELECT a.id, 'key.created', 'operator', '{}', ${YOUNG} + i FROM n JOIN accounts AS a ON a.name = 'n' || (i % 200 + 1)`,
];

async function fill(db: Database): Promise<void> {
  for (const text of FILL) {
    // WITH stands before SELECT: SQLite takes it nowhere else in an INSERT that both understand.
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) SELECT`;
    await db.run(raw(text.replace('SELECT', numbers).replaceAll('BYTES', db.dialect === 'sqlite' ? 'BLOB' : 'bytea')));
  }
}

async function useApi(client: TestClient): Promise<string> {
  const body = { urls: urlList(30) };
  const { reference } = (await client.post('/submissions', 'plans-key-1', body)).body.data;
  await client.post('/submissions', 'plans-key-1', body);
  await client.post('/submissions', 'plans-key-2', body);
  await client.post('/index-check', 'plans-check-1', { urls: urlList(2) });
  await client.post('/index-check', 'plans-check-1', { urls: urlList(2) });
  const url = `url=${encodeURIComponent(urlList(1)[0] ?? '')}`;
  const filters = ['', 'status=queued', 'q=x', 'from=2026-01-01&to=2027-01-01', url, `${url}&status=queued&q=x`];
  const lists = [...filters, `reference=${reference}`, `reference=${reference}&${url}`, 'page=2&limit=1'];
  for (const query of lists) assert.equal((await client.get(`/submissions?${query}`)).status, 200, query);
  for (const path of ['', '/me', '/balance', '/stats', `/submissions/${reference}?url_page=2&url_limit=10`]) {
    assert.equal((await client.get(path)).status, 200, path);
  }
  return reference;
}

async function useDashboard(bench: Bench, reference: string): Promise<void> {
  const visitor = await openVisitor(bench);
  const { text } = await visitor.get('/index-checks');
  const check = /\/index-checks\/(chk_\w+)/.exec(text)?.[1];
  const own = `/submissions/${reference}`;
  const pages = ['/', '/submissions', '/submissions?url=https%3A%2F%2Fa.example%2F1', '/submissions.csv?q=x', own];
  const rest = ['?show=failed', '?show=pending&page=2', '/urls.csv'].map((end) => own + end);
  const more = [
    '/index-checks?page=2',
    `/index-checks/${check}`,
    '/entries?page=2',
    '/entries.csv',
    '/entries/audit',
    '/entries/audit.csv',
    '/keys?ended=all',
  ];
  for (const path of [...pages, ...rest, ...more, '/account', '/contract']) {
    assert.equal((await visitor.get(path)).status, 200, path);
  }
  assert.equal((await visitor.submit('/keys', '/keys', { name: 'plans' })).status, 303);
  const key = /\/keys\/(key_\w+)\/regenerate/.exec((await visitor.get('/keys')).text)?.[1];
  assert.equal((await visitor.submit(`/keys/${key}/regenerate`, `/keys/${key}/regenerate`, {})).status, 303);
  const [, last] = /\/keys\/(key_\w+)\/revoke/.exec((await visitor.get('/keys')).text) ?? [];
  assert.equal((await visitor.submit(`/keys/${last}/revoke`, `/keys/${last}/revoke`, {})).status, 303);
  assert.equal((await visitor.submit('/account', '/account/sessions/end-others', {})).status, 303);
  const token = await bench.service.accounts.createReset(bench.account);
  assert.equal((await visitor.get(`/reset/${token}`)).status, 200);
  const password = 'correct horse battery';
  assert.equal(
    (await visitor.submit(`/reset/${token}`, `/reset/${token}`, { next: password, repeat: password })).status,
    200,
  );
  await visitor.signIn(bench.account, password);
  assert.equal((await visitor.submit('/account', '/sign-out', {})).status, 303);
}

/** What happens to a submission after it was accepted. */
async function process(db: Database, reference: string): Promise<void> {
  await begin(db, reference, NOW);
  const items = await listItems(db, reference);
  const outcomes = items.slice(0, 5).map(({ position }) => ({ position, status: 'failed', reason: 'gone' }) as const);
  await recordOutcomes(db, reference, outcomes, NOW);
  await finish(db, reference, { refundFailed: true, now: NOW });
  await expire(db, reference, 'late', { refundFailed: true, now: NOW });
  const retention = { urlsDays: 30, checksDays: 30, eventsDays: 30, keysDays: 30 };
  const later = NOW + 40 * 86_400_000;
  await deleteOld({ db, retention, budgets: DEFAULT_SETTINGS.budgets }, { at: later, believed: later });
}

/** Every statement that a customer causes, on a database with rows of another one. */
async function recordCustomer(t: TestContext, dialect: Dialect) {
  const plain = openDatabase(emptyDatabaseUrl(t, dialect));
  await migrate(plain, 'service', MIGRATIONS, NOW);
  if (dialect === 'postgres') await stopAutovacuum(plain, LARGE);
  const { db, statements } = recordStatements(plain);
  const { app, ...service } = await openService(db, { settings: { budgets: AMPLE } });
  t.after(() => service.close());
  await service.accounts.createAccount({ name: 'another', price: lira('0.25') });
  await fill(plain);
  const account = 'plans';
  const { id } = await service.accounts.createAccount({ name: account, balance: lira('100'), price: lira('0.25') });
  const { apiKey } = await service.accounts.createKey({ account: id });
  const baseUrl = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const client = new TestClient(baseUrl, apiKey);
  statements.length = 0;
  const reference = await useApi(client);
  const bench = { service: { ...service, baseUrl }, client, db: plain, url: '', account };
  await useDashboard(bench, reference);
  await process(db, reference);
  const distinct = new Map(statements.map(({ text, query }) => [text, query]));
  const queries = [...distinct.values()].filter((query) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(toText(query)));
  assert.ok(queries.length > 80, `only ${queries.length} statements were recorded`);
  return { db: plain, queries };
}

const toText = (query: Query): string => query.strings.join('?').replaceAll(/\s+/g, ' ').trim();

/** Once a minute for all customers together, some rows at a time: no index is worth its writes. */
const SWEEPS = /^DELETE FROM (budgets|sessions|api_keys) WHERE \w+ IN \(SELECT/;

/** SQLite names the children of a row that is inserted, and looks at them only where a row without a parent is left. */
const isUnused = (step: string, query: Query): boolean =>
  step.startsWith('SCAN index_checks') && toText(query).startsWith('INSERT INTO entries');

/** Reads some rows of what it finds, or what has one row for each account, or five. */
const isShort = (query: Query): boolean => /LIMIT|password_resets|_totals/.test(toText(query));

async function explainSqlite(db: Queryable, query: Query): Promise<string[]> {
  const rows = await db.all(sql<{ detail: string }>`${join([raw('EXPLAIN QUERY PLAN'), query], ' ')}`);
  return rows.map(({ detail }) => detail).filter((step) => !isUnused(step, query));
}

describe('statements that a customer can cause', () => {
  test('each finds its rows by an index, and URLs of a submission by more than the submission (sqlite)', async (t) => {
    const { db, queries } = await recordCustomer(t, 'sqlite');
    const found: string[] = [];
    for (const query of queries) {
      if (SWEEPS.test(compile(query, 'sqlite').text.replaceAll(/\s+/g, ' ').trim())) continue;
      for (const step of await explainSqlite(db, query)) {
        const scans = /^SCAN (?!CONSTANT|.* VIRTUAL TABLE|(page|candidates|clock|clock_jumps)$)/.test(step);
        const wholeSubmission = /\(submission_id=\?\)/.test(step);
        const wholeAccount = /^SEARCH (?!accounts|sessions).* \(account_id=\?\)$/.test(step) && !isShort(query);
        if (scans || wholeSubmission || wholeAccount)
          found.push(`${step}: ${compile(query, 'sqlite').text.replaceAll(/\s+/g, ' ')}`);
      }
    }
    assert.deepEqual(found, []);
    const byUrl = queries.filter((query) => /url_key =/.test(compile(query, 'sqlite').text));
    assert.ok(byUrl.length >= 3, 'the url filter of the API, with others, and of the dashboard');
    for (const query of byUrl) {
      const plan = (await explainSqlite(db, query)).join('\n');
      assert.match(plan, /submission_urls_by_key \(submission_id=\? AND url_key=\?\)/);
    }
  });

  const live = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };
  test('none reads a table that grows as a whole, with 1,000,000 rows (postgres)', live, async (t) => {
    const { db, queries } = await recordCustomer(t, 'postgres');
    await multiplyStatistics(db, LARGE, TIMES);
    const large = new Set(LARGE);
    const indexes = await listWholeIndexes(db, large);
    const found: string[] = [];
    await db.tx(async (tx) => {
      for (const query of queries) {
        const text = compile(query, 'postgres').text.replaceAll(/\s+/g, ' ').trim();
        if (SWEEPS.test(text)) continue;
        for (const plan of await explainBoth(tx, query)) {
          const scans = listScans(plan, large, indexes);
          if (scans.length > 0) found.push(`${scans.join(', ')}: ${text}`);
        }
      }
    });
    assert.deepEqual(found, []);
  });
});
