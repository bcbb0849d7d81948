import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  NO_GUARD,
  QUARTER,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../test/support/ledger.ts';
import { readConfig } from '../config/load.ts';
import { sql } from '../database/sql.ts';
import { cancelBatch } from '../ledger/batches/cancel-batch.ts';
import { reviewBatch } from '../ledger/batches/review-batch.ts';
import { judgeRun } from '../ledger/plans/judge-run.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { endRun } from '../ledger/runs/runs.ts';
import type { BatchId, RunId } from '../submission/ids.ts';
import type { Url } from '../url/normalize-url.ts';
import { explainUrl, findKnownSpellings } from './explain-url.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
const config = (watch = 'resubmit: { on_lastmod_change: true }') =>
  readConfig(
    `version: 1
accounts: { main: { base_url: https://service.example/api/v1, api_key: { env: UNUSED } } }
watches:
  shop:
    account: main
    sitemaps: [${SITEMAP}]
    exclude: ["/drafts/**"]
    schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }
    ${watch}
`,
    'courier.yaml',
  );

async function explain(ledger: TestLedger, path: string, watch?: string) {
  const [explained, ...others] = await explainUrl({ config: config(watch), ledger }, shopUrl(path));
  assert.ok(explained !== undefined && others.length === 0);
  return explained;
}

/** A run that finds pages, plans them and sends them. */
async function buy(ledger: TestLedger, run: string, pages: readonly string[]): Promise<string[]> {
  await crawled(ledger, run, { [SITEMAP]: pages });
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  const references = await sendAll(ledger);
  await endRun(ledger, run as RunId, 'finished');
  return references;
}

describe('why a URL is where it is', () => {
  testLedger(
    'one that the ledger has never seen is in scope or not, and known spellings of it are found',
    async (ledger) => {
      const before = await explain(ledger, 'a');
      assert.deepEqual([before.standing, before.why], ['not_listed', 'in scope; the watch has not run yet']);
      await completeRun(ledger, 'first', { [SITEMAP]: ['a/'] });
      const listed = await explain(ledger, 'a');
      assert.equal(listed.standing, 'not_listed');
      assert.ok(listed.nextAt !== null && listed.nextAt > Date.now(), 'when the sitemaps are read again');
      assert.deepEqual(await findKnownSpellings(ledger, shopUrl('a')), [
        { url: shopUrl('a/'), watch: WATCH.id, state: 'known' },
      ]);
      const draft = await explain(ledger, 'drafts/1');
      assert.deepEqual([draft.standing, draft.scope], ['out_of_scope', { inScope: false, rule: 'exclude /drafts/**' }]);
      const [other] = await explainUrl({ config: config(), ledger }, 'https://else.example/' as Url);
      assert.match(other?.why ?? '', /out of scope: host else\.example is not one of: shop\.example/);
    },
  );

  testLedger('one that is due waits for a run, one behind a guard for you', async (ledger) => {
    await crawled(ledger, 'first', { [SITEMAP]: ['a'] });
    assert.equal((await explain(ledger, 'a')).standing, 'due');
    await judgeRun(ledger, 'first' as RunId, { ...NO_GUARD, maxNew: 0 });
    const held = await explain(ledger, 'a');
    assert.equal(held.standing, 'held_by_guard');
    assert.match(held.why, /a guard holds first: 1 new URLs, more than max_new allows \(0\)/);
    assert.match(held.next, /courier approve first/);
  });

  testLedger('one beyond a cap says which cap', async (ledger) => {
    await crawled(ledger, 'first', { [SITEMAP]: ['a', 'b'] });
    const spend = { perRun: QUARTER, perDay: null, perMonth: null };
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: { ...WATCH, spend } });
    const held = await explain(ledger, 'b');
    assert.equal(held.standing, 'held_by_cap');
    assert.match(held.why, /per run of 0\.25 TRY.* allows 1 of 2 URLs/);
    assert.equal((await explain(ledger, 'a')).standing, 'waiting');
  });

  testLedger('one in a batch says why the batch waits, and when a batch needs you', async (ledger) => {
    await crawled(ledger, 'first', { [SITEMAP]: ['a'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    await ledger.db.run(sql`
      UPDATE batches SET reason_code = 'insufficient_balance', reason_params = '{"text":"402"}', waits_since = ${ledger.now()}, not_before = ${ledger.now() + 60_000}`);
    const waiting = await explain(ledger, 'a');
    assert.deepEqual([waiting.standing, waiting.nextAt], ['waiting', ledger.now() + 60_000]);
    assert.match(waiting.why, /in batch 1; it waits: /);
    await reviewBatch(ledger, 1 as BatchId, { code: 'reported', text: 'the service answered 409' });
    const review = await explain(ledger, 'a');
    assert.equal(review.standing, 'needs_review');
    assert.match(review.why, /the service answered 409/);
    assert.equal(review.next, 'decide: courier batches resolve 1');
  });

  testLedger(
    'one that was not completed is not called so: quarantined elsewhere, or bought without a result',
    async (ledger) => {
      await crawled(ledger, 'first', { [SITEMAP]: ['a'] });
      await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
      await cancelBatch(ledger, 1 as BatchId, 'tester');
      await ledger.db.run(sql`
      UPDATE urls SET state = 'known', due = NULL, due_at = NULL, reason_code = 'quarantined_by_other_watch', reason_params = NULL`);
      const elsewhere = await explain(ledger, 'a');
      assert.equal(elsewhere.standing, 'quarantined');
      assert.match(elsewhere.why, /^not bought: in quarantine under another watch/);
      assert.match(elsewhere.next, /until you release it in the watch that has it/);
      await ledger.db.run(sql`UPDATE urls SET reason_code = 'bought_by_other_watch'`);
      const bought = await explain(ledger, 'a');
      assert.deepEqual([bought.standing, bought.why], ['not_due', 'bought by another watch of the account']);
    },
  );

  testLedger('one that was bought has its job, and what comes next', async (ledger) => {
    const [reference] = await buy(ledger, 'first', ['a']);
    const submitted = await explain(ledger, 'a');
    assert.equal(submitted.standing, 'submitted');
    assert.match(submitted.why, new RegExp(`bought in job ${reference}`));
    await ledger.db.run(sql`UPDATE urls SET state = 'completed'`);
    assert.equal((await explain(ledger, 'a')).next, 'bought again when its lastmod changes');
    assert.match((await explain(ledger, 'a', 'paused: false')).next, /resubmit\.on_lastmod_change is off/);
    await ledger.db.run(sql`
      INSERT INTO check_queue (url_id, watch_id, completed_at, next_at) SELECT id, watch_id, 1, 5000 FROM urls`);
    assert.equal((await explain(ledger, 'a', 'index_check: {}')).nextAt, 5_000);
    const outside = await explain(ledger, 'a', 'index_check: { sample: 0% }');
    assert.deepEqual([outside.nextAt, /not in the sample/.test(outside.next)], [null, true]);
  });

  testLedger('one that failed, is in quarantine, gone or excluded since says so', async (ledger) => {
    await buy(ledger, 'first', ['a']);
    const later = ledger.now() + DAY;
    await ledger.db.run(sql`UPDATE urls SET state = 'failed', failures = 1, due = 'retry', due_at = ${later}`);
    assert.deepEqual(await explain(ledger, 'a').then(({ standing, nextAt }) => [standing, nextAt]), ['failed', later]);
    assert.equal((await explain(ledger, 'a', 'include: ["/b/**"]')).standing, 'out_of_scope');
    await ledger.db.run(sql`UPDATE urls SET state = 'quarantined', due = NULL, due_at = NULL`);
    assert.match((await explain(ledger, 'a')).next, /courier quarantine release shop https:\/\/shop\.example\/a/);
    await ledger.db.run(sql`UPDATE urls SET state = 'completed', gone_run = 1`);
    assert.deepEqual(await explain(ledger, 'a').then(({ standing, why }) => [standing, /since first/.test(why)]), [
      'gone',
      true,
    ]);
  });

  testLedger('one of the baseline was adopted, and a watch that was removed is named', async (ledger) => {
    await completeRun(ledger, 'first', { [SITEMAP]: ['a'] }, { firstRun: 'baseline' });
    const adopted = await explain(ledger, 'a');
    assert.deepEqual([adopted.standing, /first_run: baseline/.test(adopted.why)], ['not_due', true]);
    await completeRun(ledger, 'old', { [SITEMAP]: ['z'] }, { watch: 'removed' as typeof WATCH.id });
    const [, removed] = await explainUrl({ config: config(), ledger }, shopUrl('z'));
    assert.deepEqual([removed?.watch, removed?.standing, removed?.scope], ['removed', 'no_watch', null]);
  });
});
