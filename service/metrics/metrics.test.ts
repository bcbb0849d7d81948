import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../src/database/sql.ts';
import { read } from '../../test/deploy/files.ts';
import { openService, serviceTest, urlList } from '../../test/support/service.ts';

const ADMIN = { settings: { admin: { host: '127.0.0.1', port: 0 } } };

/** The samples of a scrape by name and labels. */
async function scrape(adminUrl: string | undefined): Promise<Map<string, number>> {
  const response = await fetch(`${adminUrl}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('metrics of the service', () => {
  serviceTest(
    'metrics count requests by route, accepted URLs, charges, refusals, denials and restores',
    async ({ client, service }) => {
      await client.post('/submissions', 'metrics-key-1', { urls: urlList(3), service: 'fast' });
      await client.post('/submissions', 'metrics-key-1', { urls: urlList(3), service: 'fast' });
      await client.post('/submissions', 'metrics-key-2', { urls: [] });
      await client.get('/submissions/sub_unknown');
      await client.post('/index-check', 'metrics-key-3', { urls: urlList(2) });
      await client.post('/index-check', 'metrics-key-4', { urls: ['https://shop.example/~down'] });
      await fetch(new URL('/nowhere/with-a-secret', client.baseUrl));
      const found = await scrape(service.adminUrl);
      const count = (name: string) => found.get(`courier_service_${name}`);
      const route = 'route="/api/v1/submissions"';
      assert.equal(count(`requests_total{method="POST",${route},status="202"}`), 1);
      assert.equal(count(`requests_total{method="POST",${route},status="200"}`), 1);
      assert.equal(count(`requests_total{method="GET",route="/api/v1/submissions/:reference",status="404"}`), 1);
      assert.equal(count('requests_total{method="GET",route="none",status="404"}'), 1);
      assert.equal(count(`request_seconds_count{method="POST",${route}}`), 3);
      assert.equal(count('urls_accepted_total{service="fast"}'), 3, 'a replay accepts nothing');
      assert.equal(count('charged_micros_total{kind="submission"}'), 750_000);
      assert.equal(count('charged_micros_total{kind="index_check"}'), 1_000_000, 'a check that failed is not charged');
      assert.equal(count('restores_total{cause="failed"}'), 1);
      assert.equal(count('refusals_total{code="validation_failed"}'), 1);
      assert.equal(count('queue_submissions{service="fast",state="waiting"}'), 1);
      assert.equal(count('queue_submissions{service="standard",state="open"}'), 0);
      assert.ok((count('queue_oldest_seconds{service="fast",state="open"}') ?? -1) >= 0);
      assert.ok(found.has('nodejs_eventloop_lag_p99_seconds'));
      assert.ok(![...found.keys()].some((name) => name.includes('secret')), 'no label holds what a client sent');
    },
    ADMIN,
  );

  serviceTest(
    'metrics name the window that denied a request',
    async ({ client, service }) => {
      for (let sent = 0; sent < 4; sent++) await client.get('/balance');
      const found = await scrape(service.adminUrl);
      assert.equal(found.get('courier_service_limiter_denials_total{window="minute"}'), 2);
      assert.equal(found.get('courier_service_refusals_total{code="rate_limited"}'), 2);
    },
    {
      settings: {
        admin: { host: '127.0.0.1', port: 0 },
        budgets: {
          minute: { limit: 2, windowMs: 60_000 },
          hour: { limit: 100, windowMs: 3_600_000 },
          day: { limit: 100, windowMs: 86_400_000 },
          submissions: { limit: 10, windowMs: 60_000 },
        },
      },
    },
  );

  serviceTest(
    'a scrape reports waiting and open submissions with their age',
    async ({ client, db, service }) => {
      const { body } = await client.post('/submissions', 'queue-key-1', { urls: urlList(1), service: 'standard' });
      await client.post('/submissions', 'queue-key-2', { urls: urlList(1), service: 'standard' });
      await db.run(sql`
      UPDATE submissions SET dispatched_at = 1, created_at = created_at - 600000 WHERE reference = ${body.data.reference}`);
      const found = await scrape(service.adminUrl);
      const get = (name: string, state: string) =>
        found.get(`courier_service_${name}{service="standard",state="${state}"}`) ?? -1;
      assert.equal(get('queue_submissions', 'waiting'), 1);
      assert.equal(get('queue_submissions', 'open'), 2);
      assert.ok(get('queue_oldest_seconds', 'waiting') < 60);
      assert.ok(get('queue_oldest_seconds', 'open') >= 600);
    },
    ADMIN,
  );

  serviceTest(
    'the admin listener answers health and readiness; customers do not see the metrics',
    async ({ client, service }) => {
      assert.equal((await fetch(`${service.adminUrl}/healthz`)).status, 200);
      const ready = await fetch(`${service.adminUrl}/readyz`);
      assert.deepEqual([ready.status, ((await ready.json()) as { status: string }).status], [200, 'degraded']);
      assert.equal((await fetch(`${service.adminUrl}/`)).status, 404);
      assert.equal((await fetch(`${service.adminUrl}/metrics`, { method: 'POST' })).status, 405);
      assert.equal((await fetch(new URL('/metrics', client.baseUrl))).status, 404);
    },
    ADMIN,
  );

  serviceTest(
    'a scrape has every metric of the board and of the alert rules',
    async ({ service }) => {
      const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
      const known = new Set(
        [...text.matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name = '', type]) =>
          type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
        ),
      );
      const files = ['grafana/courier-service.json', 'prometheus/courier-service-alerts.yaml'];
      const used = files.flatMap((file) =>
        [...read(file).matchAll(/\b(?:courier_service|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name),
      );
      assert.ok(used.length > 30);
      assert.deepEqual(
        used.filter((name) => !known.has(name)),
        [],
      );
      assert.match(text, /^courier_service_queue_submissions\{/m, 'its absence says that the storage cannot be read');
    },
    ADMIN,
  );

  test('without admin.port there is no admin listener', async (t) => {
    const { service } = await openService(t, 'sqlite');
    assert.equal(service.adminUrl, undefined);
  });
});
