import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from '../database/sql.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { planRun } from '../ledger/plan-run.ts';
import { endRun } from '../ledger/runs.ts';
import { ACCOUNT, crawled, night, sendAll, shopUrl, WATCH } from '../ledger/testing.ts';
import type { RunId } from '../submission/ids.ts';
import { courier, folderFor, ofType } from './testing.ts';

/** Discard: no Temporal server ever answers there. */
const NO_SERVER = '127.0.0.1:9';

const folderOf = (t: TestContext): string =>
  folderFor(
    t,
    (folder) => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY }, price_per_url: 0.25 TRY }
watches:
  shop: { account: main, project: Shop, sitemaps: ["https://shop.example/sitemap.xml"], hosts: [shop.example], first_run: submit }
temporal: { address: "${NO_SERVER}", namespace: default }
ledger: { url: "sqlite:${join(folder, 'ledger.db')}" }
`,
  );

test('what the ledger knows is shown without Temporal, and a URL released from quarantine is bought again', async (t) => {
  const folder = folderOf(t);
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  await crawled(ledger, 'first', { 'https://shop.example/sitemap.xml': ['a', 'b'] });
  await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
  const [reference] = await sendAll(ledger);
  await endRun(ledger, 'first' as RunId, 'finished');
  await ledger.db.run(sql`UPDATE urls SET state = 'quarantined', reason = 'blocked' WHERE url = ${shopUrl('b')}`);
  await ledger.close();

  const shown = await courier(folder, 'ledger', 'show', 'https://SHOP.example/a#top');
  const [url] = ofType(shown, 'url');
  assert.equal(shown.code, 0);
  assert.equal(shown.records[0]?.type, 'version');
  assert.equal(shown.records.at(-1)?.type, 'summary');
  assert.deepEqual(
    (url!.purchases as { reference: string }[]).map((purchase) => purchase.reference),
    [reference],
  );

  const submission = await courier(folder, 'submissions', 'show', reference!);
  assert.deepEqual(
    ofType(submission, 'url').map((record) => record.url),
    [shopUrl('a'), shopUrl('b')],
  );
  const unknown = await courier(folder, 'submissions', 'show', 'IDX-NONE');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no submission "IDX-NONE"/);

  const status = await courier(folder, 'status');
  assert.equal(status.code, 0);
  assert.equal(ofType(status, 'account')[0]?.open, 1);
  assert.match(status.stderr, /Temporal does not answer/);

  assert.equal((await courier(folder, 'quarantine', 'release', 'shop', shopUrl('b'))).code, 0);
  const again = await courier(folder, 'quarantine', 'release', 'shop', shopUrl('b'));
  assert.equal(again.code, 2);
  assert.match(again.stderr, /Not in quarantine/);
  const after = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  await night(after, 'second', { 'https://shop.example/sitemap.xml': ['a', 'b'] });
  const due = await after.db.all(sql<{ url: string }>`SELECT url FROM urls WHERE due IS NOT NULL`);
  await after.close();
  assert.deepEqual(
    due.map((row) => row.url),
    [shopUrl('b')],
  );
});

test('a command that needs Temporal says so and ends with 5; a watch that is not configured is a usage error', async (t) => {
  const folder = folderOf(t);
  const [approve, pause] = await Promise.all([
    courier(folder, 'approve', 'watch/shop/x'),
    courier(folder, 'watch', 'pause', 'shoe'),
  ]);
  assert.equal(approve.code, 5);
  assert.match(approve.stderr, /No Temporal server answers/);
  assert.equal(pause.code, 2);
  assert.match(pause.stderr, /no watch "shoe".*It has: shop/s);
});
