import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';
import { ACCOUNT, completeRun, crawled, NO_GUARD, sendAll, shopUrl, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import { recordStop } from '../../ledger/accounts/stops.ts';
import { reviewBatch } from '../../ledger/batches/review-batch.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { judgeRun } from '../../ledger/plans/judge-run.ts';
import { planRun } from '../../ledger/plans/make-plan.ts';
import { assignReason } from '../../ledger/reason-columns.ts';
import { getAccountTotals } from '../../ledger/reports/totals.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';

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

describe('commands of courier', () => {
  test('commands that read the ledger work without Temporal, and a URL released from quarantine is bought again', async (t) => {
    const folder = folderOf(t);
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await crawled(ledger, 'first', { 'https://shop.example/sitemap.xml': ['a', 'b'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    const [reference] = await sendAll(ledger);
    await endRun(ledger, 'first' as RunId, 'finished');
    await ledger.db.run(sql`
      UPDATE urls SET state = 'quarantined', ${assignReason({ code: 'reported', text: 'blocked' })} WHERE url = ${shopUrl('b')}`);
    await ledger.close();

    const shown = await courier(folder, 'ledger', 'show', 'https://SHOP.example/a#top');
    const [url] = ofType(shown, 'url_history');
    assert.equal(shown.code, 0);
    assert.equal(shown.records[0]?.type, 'version');
    assert.equal(shown.records.at(-1)?.type, 'summary');
    assert.deepEqual(
      (url!.purchases as { reference: string }[]).map((purchase) => purchase.reference),
      [reference],
    );

    const submission = await courier(folder, 'submissions', 'show', reference!);
    assert.deepEqual(
      ofType(submission, 'batch_url').map(({ url, state }) => [url, state]),
      [
        [shopUrl('a'), 'submitted'],
        [shopUrl('b'), 'quarantined'],
      ],
    );
    const number = String(ofType(submission, 'batch')[0]?.batch);
    assert.deepEqual((await courier(folder, 'batches', 'show', number)).records, submission.records);
    const unknown = await courier(folder, 'submissions', 'show', 'IDX-NONE');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /no batch "IDX-NONE"/);

    const status = await courier(folder, 'status');
    assert.equal(status.code, 0);
    assert.deepEqual(ofType(status, 'account')[0]?.batches, {
      planned: 0,
      in_doubt: 0,
      open: 1,
      overdue: 0,
      needs_review: 0,
    });
    assert.match(status.stderr, /Temporal does not answer/);

    for (const [args, says] of [
      [[], /Name URLs, or pass one of --batch/],
      [[shopUrl('b'), '--all'], /Name URLs, or pass one of --batch/],
      [['--reason', 'lost'], /No URL of shop is in quarantine for that/],
      [['--batch', 'R-1'], /number of a batch/],
    ] as const) {
      const refused = await courier(folder, 'quarantine', 'release', 'shop', ...args);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, says);
    }
    const together = await courier(folder, 'quarantine', 'release', 'shop', '--reason', 'blocked');
    assert.deepEqual([together.code, together.records.at(-1)?.released], [0, 1]);
    const again = await courier(folder, 'quarantine', 'release', 'shop', shopUrl('b'));
    assert.equal(again.code, 2);
    assert.match(again.stderr, /Not in quarantine/);
    const after = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await completeRun(after, 'second', { 'https://shop.example/sitemap.xml': ['a', 'b'] });
    const due = await after.db.all(sql<{ url: string }>`SELECT url FROM urls WHERE due IS NOT NULL`);
    await after.close();
    assert.deepEqual(
      due.map((row) => row.url),
      [shopUrl('b')],
    );
  });

  test('a command that needs Temporal exits with 5 without it, and an unknown watch is a usage error', async (t) => {
    const folder = folderOf(t);
    const [approve, pause] = await Promise.all([
      courier(folder, 'approve', 'watch/shop/x'),
      courier(folder, 'watch', 'pause', 'shoe'),
    ]);
    assert.equal(approve.code, 5);
    assert.match(approve.stderr, /No Temporal server responds/);
    assert.equal(pause.code, 2);
    assert.match(pause.stderr, /no watch "shoe".*Its watches: shop/s);
  });

  test('a missing API key is reported before any work begins', async (t) => {
    const folder = folderOf(t);
    for (const args of [['worker'], ['run', '--once']]) {
      const run = await courier(folder, ...args);
      assert.equal(run.code, 2);
      assert.match(run.stderr, /COURIER_API_KEY is not set/);
    }
  });

  test('a batch that needs review is resolved only with the charge of the service', async (t) => {
    const folder = folderOf(t);
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await openLedger(url);
    for (const name of ['one', 'two', 'three']) {
      await crawled(ledger, name, { 'https://shop.example/sitemap.xml': [name] });
      await planRun(ledger, name as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, name as RunId, 'finished');
    }
    const ids = await ledger.db.all(sql<{ id: BatchId }>`SELECT id FROM batches ORDER BY id`);
    for (const { id } of ids)
      await reviewBatch(ledger, id, { code: 'reported', text: 'a conflict that explains itself in no way' });
    await ledger.close();
    const [one, two, three] = ids.map(({ id }) => String(id));

    const listed = await courier(folder, 'batches', 'list', '--state', 'needs_review');
    assert.equal(ofType(listed, 'batch').length, 3);
    assert.equal((await courier(folder, 'batches', 'resolve', one!)).code, 2, 'nothing is assumed');
    assert.equal((await courier(folder, 'batches', 'resolve', one!, '--release', '--leave')).code, 2);
    assert.equal((await courier(folder, 'batches', 'resolve', '99', '--release')).code, 2);
    const charged = await courier(folder, 'batches', 'resolve', one!, '--charged', 'R-77');
    assert.equal(charged.code, 0, charged.stderr);
    const taken = await courier(folder, 'batches', 'resolve', two!, '--charged', 'R-77');
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /as it called batch/);
    assert.equal((await courier(folder, 'batches', 'resolve', two!, '--release')).code, 0);
    assert.equal((await courier(folder, 'batches', 'resolve', three!, '--leave')).code, 0);
    assert.equal((await courier(folder, 'batches', 'resolve', three!, '--release')).code, 2, 'decided once');

    const after = await openLedger(url);
    t.after(() => after.close());
    assert.equal((await getAccountTotals(after, ACCOUNT.id, ACCOUNT.pricePerUrl)).chargedEver, 250_000);
    await crawled(after, 'next', { 'https://shop.example/sitemap.xml': ['one', 'two', 'three'] });
    const plan = await planRun(after, 'next' as RunId, { account: ACCOUNT, watch: WATCH });
    assert.equal(plan.urls, 1, 'what was released is bought, what was charged or left is not');
  });

  test('an unsent batch can be cancelled and its URLs are due again; an accepted one cannot', async (t) => {
    const folder = folderOf(t);
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await openLedger(url);
    for (const name of ['one', 'two']) {
      await crawled(ledger, name, { 'https://shop.example/sitemap.xml': [name] });
      await planRun(ledger, name as RunId, { account: ACCOUNT, watch: WATCH });
      if (name === 'one') await sendAll(ledger);
      await endRun(ledger, name as RunId, 'finished');
    }
    await ledger.close();

    const accepted = await courier(folder, 'batches', 'cancel', '1');
    assert.equal(accepted.code, 2);
    assert.match(accepted.stderr, /Batch 1 is accepted.*Nothing was changed/);
    const cancelled = await courier(folder, 'batches', 'cancel', '2');
    assert.deepEqual(ofType(cancelled, 'cancelled'), [{ type: 'cancelled', batch: 2, urls: 1 }], cancelled.stderr);
    assert.equal((await courier(folder, 'batches', 'cancel', '2')).code, 2, 'once');
    assert.equal(
      ofType(await courier(folder, 'submissions', 'list'), 'batch').length,
      1,
      'only what the service accepted',
    );

    const after = await openLedger(url);
    t.after(() => after.close());
    await crawled(after, 'next', { 'https://shop.example/sitemap.xml': ['one', 'two'] });
    assert.equal((await planRun(after, 'next' as RunId, { account: ACCOUNT, watch: WATCH })).urls, 1);
  });

  test('status says why a run is held, a batch needs review or a key is rejected, and what to do', async (t) => {
    const folder = folderOf(t);
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await crawled(ledger, 'first', { 'https://shop.example/sitemap.xml': ['a'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'first' as RunId, 'finished');
    await reviewBatch(ledger, 1 as BatchId, { code: 'reported', text: 'the service answered 409' });
    await crawled(ledger, 'second', { 'https://shop.example/sitemap.xml': ['a', 'b', 'c'] });
    await judgeRun(ledger, 'second' as RunId, { ...NO_GUARD, maxNew: 1 });
    await recordStop(ledger.db, ACCOUNT.id, { kind: 'key', at: 0, reason: { code: 'reported', text: 'status 401' } });
    await ledger.close();

    const shown = await printCourier(folder, 'status');
    assert.match(shown, /a guard holds this run: 2 URLs, .*\(2 new URLs, more than max_new allows \(1\)\)/);
    assert.match(shown, /For example https:\/\/shop\.example\/b/);
    assert.match(shown, /courier approve second {3}or {3}courier reject second/);
    assert.match(shown, /batch 1 \(1 URL; tag \w+, key sc1-\w+\) needs review: the service answered 409\. /);
    assert.match(shown, /"courier batches resolve 1" with --charged REFERENCE, --release \(not charged\) or --leave/);
    assert.match(shown, /the service rejects the key: status 401/);
    const status = await courier(folder, 'status');
    assert.deepEqual([status.records.at(-1)?.held, status.records.at(-1)?.needs_review], [['second'], 1]);
    assert.equal(ofType(status, 'account')[0]?.key_rejected, 'status 401');
  });

  test('accounts move keeps the batches of an account when its service has a new address', async (t) => {
    const folder = folderOf(t);
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    t.after(() => ledger.close());
    await crawled(ledger, 'first', { 'https://shop.example/sitemap.xml': ['a'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    await ledger.db.run(sql`UPDATE ledger_accounts SET base_url = 'https://old.example/api/v1'`);
    await ledger.db.run(sql`INSERT INTO ledger_settings (name, value) VALUES ('account_identity/main', 'id=7')`);

    const moved = await courier(folder, 'accounts', 'move', 'main');
    const service = 'https://service.example/api/v1';
    assert.deepEqual(ofType(moved, 'moved'), [{ type: 'moved', account: 'main', base_url: service }], moved.stderr);
    const { base_url } = await ledger.db.one(sql<{ base_url: string }>`SELECT base_url FROM ledger_accounts`);
    assert.equal(base_url, service);
    const identities = await ledger.db.all(sql`SELECT name FROM ledger_settings WHERE name = 'account_identity/main'`);
    assert.deepEqual(identities, [], 'the next contact records the id that the service shows');
    assert.equal((await courier(folder, 'accounts', 'move', 'other')).code, 2);
  });

  test('index-check needs a watch with index_check, and says so before it asks for a server', async (t) => {
    const folder = folderOf(t);
    for (const [args, says] of [
      [[], /^No watch has index_check\. Nothing was checked or charged\. Add index_check to the watch/],
      [['shop'], /^Not in the configuration of shop: index_check\. Nothing was checked or charged/],
      [['--once'], /^No watch has index_check/],
    ] as const) {
      const checked = await courier(folder, 'index-check', ...args);
      assert.equal(checked.code, 2);
      assert.match(checked.stderr, says);
    }
  });

  test('commands that need no server print their published records', async (t) => {
    const folder = folderOf(t);
    for (const args of [['quarantine', 'list'], ['batches', 'list'], ['submissions', 'list'], ['status']])
      assert.equal((await courier(folder, ...args)).code, 0, args.join(' '));
    writeFileSync(join(folder, 'sitemap.xml'), 'https://shop.example/a\n');
    const crawl = await courier(folder, 'crawl', 'sitemap.xml');
    assert.deepEqual(
      ofType(crawl, 'url').map(({ loc }) => loc),
      ['https://shop.example/a'],
    );
  });
});
