import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  QUARTER,
  type Site,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { endJob } from '../../../test/support/service-results.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, Reference, RunId, WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { listQuarantined, releaseUrl } from '../jobs/quarantine.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { recoverJob } from '../jobs/recover.ts';
import { recordUrlResults, settleJob } from '../jobs/settle-job.ts';
import { planRun } from '../plans/make-plan.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { selectListed } from './earlier-purchases.ts';

const OLD: WatchPolicy = WATCH;
const NEW: WatchPolicy = { ...WATCH, id: 'store' as WatchId };
const BOTH = [OLD.id, NEW.id];

/** One run of a watch with its plan, under a configuration with these watches; how many URLs it buys. */
async function buy(
  ledger: TestLedger,
  run: string,
  site: Site,
  {
    watch = OLD,
    configured,
    account = ACCOUNT,
  }: { watch?: WatchPolicy; configured?: readonly WatchId[]; account?: AccountPolicy } = {},
): Promise<number> {
  await crawled(ledger, run, site, { watch: watch.id, configured: configured ?? [watch.id], account: account.id });
  const { urls } = await planRun(ledger, run as RunId, { account, watch });
  await endRun(ledger, run as RunId, 'finished');
  return urls;
}

/** Ends a job with one result for each URL; `retryFailed` null: its watch is not configured. */
const end = (
  ledger: TestLedger,
  reference: Reference,
  state: 'completed' | 'failed',
  retryFailed: WatchPolicy['retryFailed'] | null = OLD.retryFailed,
  account: AccountId = ACCOUNT.id,
) => endJob(ledger, reference, { state, retryFailed, account });

async function sendOne(ledger: TestLedger): Promise<Reference> {
  const [reference, ...more] = await sendAll(ledger, QUARTER);
  assert.ok(reference !== undefined && more.length === 0);
  return reference;
}

const history = async (ledger: TestLedger, path: string) =>
  (await getUrlHistory(ledger, shopUrl(path))).map(({ watch, state, due, generation, failures }) => ({
    watch,
    state,
    due,
    generation,
    failures,
  }));

const countLive = async ({ db }: TestLedger, watch: WatchId) =>
  (await db.one(sql<{ live: number }>`SELECT live FROM watches WHERE name = ${watch}`)).live;

describe('a renamed watch', () => {
  testLedger('a URL that failed under the old name is bought once more, not as a new one', async (ledger) => {
    assert.equal(await buy(ledger, 'r1', { a: ['1'] }), 1);
    const first = await sendOne(ledger);
    // The watch is renamed while its job is open: nobody knows its rule when the job fails.
    await end(ledger, first, 'failed', null);
    assert.deepEqual(await listQuarantined(ledger), [], 'a missing rule is not a reason to quarantine');
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW }), 0, 'its retry waits as long as the rule says');
    ledger.pass(HOUR);
    assert.equal(await buy(ledger, 'n2', { a: ['1'] }, { watch: NEW }), 1);
    await end(ledger, await sendOne(ledger), 'failed', NEW.retryFailed);
    assert.deepEqual(await history(ledger, '1'), [
      { watch: NEW.id, state: 'quarantined', due: null, generation: 2, failures: 2 },
    ]);
    ledger.pass(30 * DAY);
    assert.equal(await buy(ledger, 'n3', { a: ['1'] }, { watch: NEW }), 0);
  });

  testLedger('a watch that buys nothing twice quarantines what failed under the old name', async (ledger) => {
    const never = { ...NEW, retryFailed: { times: 0, afterMs: 0 } };
    await buy(ledger, 'r1', { a: ['1'] });
    await end(ledger, await sendOne(ledger), 'failed', null);
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: never }), 0);
    assert.deepEqual(
      (await listQuarantined(ledger)).map(({ watch, reason }) => [watch, reason]),
      [[NEW.id, 'failed once']],
    );
  });

  testLedger('a job that ends after the new name has listed its URL counts there', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2'] });
    const reference = await sendOne(ledger);
    assert.equal(await buy(ledger, 'n1', { a: ['1', '2'] }, { watch: NEW }), 0);
    await recordUrlResults(ledger, ACCOUNT.id, reference, [
      { url: shopUrl(1), result: 'failed', reason: 'no' },
      { url: shopUrl(2), result: 'completed', reason: null },
    ]);
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'partial', terminalStates: ['partial'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: null });
    assert.deepEqual(await history(ledger, '1'), [
      { watch: NEW.id, state: 'failed', due: 'retry', generation: 1, failures: 1 },
    ]);
    assert.deepEqual(await history(ledger, '2'), [
      { watch: NEW.id, state: 'completed', due: null, generation: 1, failures: 0 },
    ]);
  });

  testLedger('keeps the quarantine, and a release there buys the URL once', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await end(ledger, await sendOne(ledger), 'failed', { times: 0, afterMs: 0 });
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW }), 0);
    assert.deepEqual(
      (await listQuarantined(ledger)).map(({ watch }) => watch),
      [NEW.id],
    );
    assert.equal(await releaseUrl(ledger, NEW.id, shopUrl(1)), true);
    assert.equal(await buy(ledger, 'n2', { a: ['1'] }, { watch: NEW }), 1);
    assert.equal((await history(ledger, '1'))[0]?.generation, 2);
  });

  testLedger('a URL released before the rename is bought under the new name', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await end(ledger, await sendOne(ledger), 'failed', { times: 0, afterMs: 0 });
    await releaseUrl(ledger, OLD.id, shopUrl(1));
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW }), 1);
  });

  testLedger('remembers when a URL was bought, and what was checked of it', async (ledger) => {
    const rare = { ...NEW, resubmit: { onLastmodChange: true, notWithinMs: 10 * DAY } };
    await buy(ledger, 'r1', { a: [['1', '2026-01-01']] });
    await end(ledger, await sendOne(ledger), 'completed');
    ledger.pass(DAY);
    // It changes with the rename: within the time that the watch allows, it waits.
    assert.equal(await buy(ledger, 'n1', { a: [['1', '2026-01-14']] }, { watch: rare }), 0);
    assert.deepEqual(await history(ledger, '1'), [
      { watch: NEW.id, state: 'completed', due: 'changed', generation: 1, failures: 0 },
    ]);
    const { name } = await ledger.db.one(sql<{ name: string }>`
      SELECT w.name FROM check_queue AS q JOIN watches AS w ON w.id = q.watch_id`);
    assert.equal(name, NEW.id, 'its index-checks go on');
    ledger.pass(10 * DAY);
    assert.equal(await buy(ledger, 'n2', { a: [['1', '2026-01-14']] }, { watch: rare }), 1);
  });

  testLedger('counts each URL in one watch', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2', '3'] });
    await sendOne(ledger);
    await buy(ledger, 'n1', { a: ['1', '2'] }, { watch: NEW });
    assert.deepEqual([await countLive(ledger, OLD.id), await countLive(ledger, NEW.id)], [1, 2]);
    const diff = await completeRun(ledger, 'n2', { a: ['2'] }, { watch: NEW.id, configured: [NEW.id] });
    assert.deepEqual([diff.found, diff.gone], [1, 1]);
  });

  for (const [what, capped, bought] of [
    ['what a cap held is bought, although the new name adopts what is there', true, 2],
    ['what no guard has let pass is adopted', false, 0],
  ] as const) {
    testLedger(what, async (ledger) => {
      await crawled(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
      await endRun(ledger, 'r1' as RunId, 'finished');
      await crawled(ledger, 'r2', { a: ['0', '1', '2'] }, { configured: [OLD.id] });
      const spend = { ...OLD.spend, perRun: 0 as Micros };
      if (capped) await planRun(ledger, 'r2' as RunId, { account: ACCOUNT, watch: { ...OLD, spend } });
      await endRun(ledger, 'r2' as RunId, 'finished');
      const renamed = { watch: NEW.id, configured: [NEW.id], firstRun: 'baseline' } as const;
      await crawled(ledger, 'n1', { a: ['0', '1', '2'] }, renamed);
      const { urls } = await planRun(ledger, 'n1' as RunId, { account: ACCOUNT, watch: NEW });
      assert.equal(urls, bought);
    });
  }

  testLedger('a batch of the old name that was never sent is due under the new one', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW }), 0);
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    assert.ok(batch);
    assert.equal((await beginSend(ledger, batch.id, { account: ACCOUNT, watch: null })).kind, 'closed');
    assert.equal(await buy(ledger, 'n2', { a: ['1'] }, { watch: NEW }), 1);
  });
});

describe('a watch that is back', () => {
  const dated = (day: number, ...paths: string[]): Site => ({ a: paths.map((path) => [path, `2026-01-0${day}`]) });

  testLedger('under its name: what changes is bought, also where it stands where it stood', async (ledger) => {
    assert.equal(await buy(ledger, 'r1', dated(1, '1', '2')), 2);
    await end(ledger, await sendOne(ledger), 'completed');
    assert.equal(await buy(ledger, 'n1', dated(1, '1', '2'), { watch: NEW }), 0);
    assert.equal(await buy(ledger, 'r2', dated(1, '1', '2')), 0);
    assert.deepEqual(
      (await history(ledger, '1')).map(({ watch, generation }) => [watch, generation]),
      [[OLD.id, 1]],
    );
    assert.equal(await buy(ledger, 'r3', dated(2, '1', '2')), 2);
  });

  testLedger('buys what has changed of the pages that another one has listed, with another key', async (ledger) => {
    assert.equal(await buy(ledger, 'r1', dated(1, '1', '2')), 2);
    await end(ledger, await sendOne(ledger), 'completed');
    assert.equal(await buy(ledger, 'n1', dated(1, '1', '2'), { watch: NEW }), 0);
    assert.equal(await buy(ledger, 'r2', dated(1, '1', '2'), { configured: BOTH }), 0, 'bought under the other one');
    await buy(ledger, 'n2', dated(1, '3'), { watch: NEW, configured: BOTH });
    await sendOne(ledger);
    assert.equal(await buy(ledger, 'r3', dated(2, '1', '2'), { configured: BOTH }), 2);
    assert.equal((await history(ledger, '1')).find(({ watch }) => watch === OLD.id)?.generation, 2);
  });

  testLedger('finds gone what it does not list any more, of the pages that it has kept', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2', '3'] });
    await end(ledger, await sendOne(ledger), 'completed');
    await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW });
    const diff = await completeRun(ledger, 'r2', { a: ['1', '2'] }, { configured: BOTH });
    assert.deepEqual([diff.found, diff.new, diff.gone], [2, 1, 1]);
    const left = await ledger.db.all(sql`SELECT * FROM gone_candidates`);
    assert.deepEqual(left, []);
  });
});

describe('two watches that list the same URL', () => {
  testLedger('one of them buys it, and quarantine there holds for both', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] }, { configured: BOTH });
    await end(ledger, await sendOne(ledger), 'failed', { times: 0, afterMs: 0 });
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, configured: BOTH }), 0);
    assert.deepEqual(
      (await listQuarantined(ledger)).map(({ watch }) => watch),
      [OLD.id],
    );
    const [, other] = await getUrlHistory(ledger, shopUrl(1));
    assert.match(other?.reason ?? '', /in quarantine under another watch/);
    await releaseUrl(ledger, OLD.id, shopUrl(1));
    assert.equal(await buy(ledger, 'n2', { a: ['1'] }, { watch: NEW, configured: BOTH }), 0);
    assert.equal(await buy(ledger, 'r2', { a: ['1'] }, { configured: BOTH }), 1, 'released, it is bought once');
  });

  testLedger('the one that stays takes over what is to follow under the one that goes', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] }, { configured: BOTH });
    const reference = await sendOne(ledger);
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, configured: BOTH }), 0);
    await end(ledger, reference, 'failed');
    ledger.pass(HOUR);
    // Its lists are unchanged: only the removal of the other watch makes a difference.
    assert.equal(await buy(ledger, 'n2', { a: 'not-modified' }, { watch: NEW, configured: BOTH }), 0);
    assert.equal(await buy(ledger, 'n3', { a: 'not-modified' }, { watch: NEW }), 1);
    assert.deepEqual(await history(ledger, '1'), [
      { watch: NEW.id, state: 'planned', due: null, generation: 2, failures: 1 },
    ]);
  });

  for (const [what, state, retryFailed, urls] of [
    ['failed', 'failed', OLD.retryFailed, 1],
    ['is in quarantine', 'quarantined', { times: 0, afterMs: 0 }, 0],
  ] as const) {
    testLedger(`what ${what} in one, and stands in the other alone, is to follow there`, async (ledger) => {
      await buy(ledger, 'r1', { a: ['1'] }, { configured: BOTH });
      const reference = await sendOne(ledger);
      await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, configured: BOTH });
      await end(ledger, reference, 'failed', retryFailed);
      await buy(ledger, 'r2', { a: ['2'] }, { configured: BOTH });
      await sendOne(ledger);
      ledger.pass(HOUR);
      assert.equal(await buy(ledger, 'n2', { a: 'not-modified' }, { watch: NEW, configured: BOTH }), urls);
      assert.deepEqual(await history(ledger, '1'), [
        { watch: NEW.id, state: urls === 1 ? 'planned' : state, due: null, generation: 1 + urls, failures: 1 },
      ]);
    });
  }

  testLedger(
    'what failed in one is to follow in the other, although that has bought an earlier version',
    async (ledger) => {
      const dated = (day: number): Site => ({ a: [['1', `2026-01-0${day}`]] });
      await buy(ledger, 'r1', dated(1), { configured: BOTH });
      await end(ledger, await sendOne(ledger), 'completed');
      await buy(ledger, 'n1', dated(1), { watch: NEW, configured: BOTH });
      assert.equal(await buy(ledger, 'n2', dated(2), { watch: NEW, configured: BOTH }), 1);
      await end(ledger, await sendOne(ledger), 'failed');
      assert.equal(await buy(ledger, 'r2', dated(2), { configured: BOTH }), 0);
      await buy(ledger, 'n3', { a: [] }, { watch: NEW, configured: BOTH });
      ledger.pass(HOUR);
      assert.equal(await buy(ledger, 'r3', dated(2), { configured: BOTH }), 1);
      const after = (await history(ledger, '1')).map(({ watch, state, due, failures }) => [
        watch,
        state,
        due,
        failures,
      ]);
      assert.deepEqual(after.toSorted(), [
        [OLD.id, 'planned', null, 1],
        [NEW.id, 'known', null, 1],
      ]);
    },
  );

  testLedger('the index-checks of the one that goes are made by the one that stays', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2'] }, { configured: BOTH });
    const reference = await sendOne(ledger);
    await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, configured: BOTH });
    await end(ledger, reference, 'completed');
    await ledger.db.run(sql`UPDATE check_queue SET next_at = ${ledger.now()}`);
    assert.equal(await buy(ledger, 'n2', { a: 'not-modified' }, { watch: NEW }), 0);
    const watches = await ledger.db.all(sql<{ name: string }>`
      SELECT w.name FROM check_queue AS q JOIN watches AS w ON w.id = q.watch_id ORDER BY q.url_id`);
    assert.deepEqual(
      watches.map(({ name }) => name),
      [NEW.id, OLD.id],
    );
  });

  testLedger('the quarantine of the one that goes moves to the one that stays', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] }, { configured: BOTH });
    await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, configured: BOTH });
    await end(ledger, await sendOne(ledger), 'failed', { times: 0, afterMs: 0 });
    await buy(ledger, 'n2', { a: ['1'] }, { watch: NEW });
    assert.deepEqual(
      (await listQuarantined(ledger)).map(({ watch }) => watch),
      [NEW.id],
    );
  });
});

describe('accounts', () => {
  const SECOND = { ...ACCOUNT, id: 'second' as AccountId };

  testLedger('what another account bought is not taken over', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await end(ledger, await sendOne(ledger), 'failed', null);
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, account: SECOND }), 1);
    assert.equal((await history(ledger, '1')).length, 2);
  });

  testLedger('what a watch bought before it moved to another account stays bought in the first one', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] }, { configured: BOTH });
    await end(ledger, await sendOne(ledger), 'completed');
    await buy(ledger, 'r2', { a: ['1'] }, { account: SECOND, configured: BOTH });
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, { watch: NEW, configured: BOTH }), 0);
  });
});

describe('recovered URLs in another spelling', () => {
  const recover = (ledger: TestLedger, reference: string, urls: readonly string[], watch = OLD.id) =>
    recoverJob(
      ledger,
      { account: ACCOUNT.id, watch, baseUrl: ACCOUNT.baseUrl },
      {
        reference: reference as Reference,
        state: 'completed',
        terminal: true,
        service: 'standard',
        project: 'Shop',
        createdAt: ledger.now() - DAY,
        charge: null,
        urls: urls.map((path) => ({ url: shopUrl(path), result: 'completed' as const, reason: null })),
      },
    );

  testLedger('an empty ledger does not buy what differs in its final slash alone', async (ledger) => {
    await recover(ledger, 'J1', ['a/', 'b', 'c/d?x=1', 'e']);
    const site = { m: [['a', '2026-01-01'], 'b/', 'c/d/?x=1', 'e', 'new'] } satisfies Site;
    assert.equal(await buy(ledger, 'r1', site), 1);
    assert.deepEqual(await history(ledger, 'a/'), []);
    assert.deepEqual(await history(ledger, 'a'), [
      { watch: OLD.id, state: 'completed', due: null, generation: 1, failures: 0 },
    ]);
    assert.equal(await countLive(ledger, OLD.id), 5);
    ledger.pass(7 * DAY);
    // A lastmod that is seen for the first time is no change; a later one is.
    assert.equal(await buy(ledger, 'r2', { ...site, m: [['a', '2026-01-20'], 'b/', 'c/d/?x=1', 'e', 'new'] }), 1);
  });

  testLedger('URLs that the sitemaps list in both spellings are two pages', async (ledger) => {
    await recover(ledger, 'J1', ['a/']);
    assert.equal(await buy(ledger, 'r1', { one: ['a'], two: ['a/'] }), 1);
    assert.deepEqual(await history(ledger, 'a/'), [
      { watch: OLD.id, state: 'completed', due: null, generation: 1, failures: 0 },
    ]);
    assert.equal((await history(ledger, 'a'))[0]?.state, 'planned');
  });

  testLedger('until a crawl is complete, the other spelling may be listed: it waits', async (ledger) => {
    await recover(ledger, 'J1', ['a/', 'b/']);
    assert.equal(await buy(ledger, 'r1', { one: ['a', 'b'], two: 'broken' }), 0);
    assert.match((await getUrlHistory(ledger, shopUrl('a')))[0]?.reason ?? '', /waits for a complete crawl/);
    assert.equal(await buy(ledger, 'r2', { one: ['a', 'b'], two: ['a/'] }), 1, 'a/ is listed: a is another page');
    assert.deepEqual(
      (await history(ledger, 'b')).map(({ state }) => state),
      ['completed'],
    );
  });

  testLedger('a job that was given to another watch counts once that watch was crawled', async (ledger) => {
    await recover(ledger, 'J1', ['a/'], NEW.id);
    assert.equal(await buy(ledger, 'r1', { m: ['a'] }, { configured: BOTH }), 0);
    await buy(ledger, 'n1', { n: ['b'] }, { watch: NEW, configured: BOTH });
    assert.equal(await buy(ledger, 'r2', { m: ['a'] }, { configured: BOTH }), 0);
    assert.deepEqual(await history(ledger, 'a'), [
      { watch: OLD.id, state: 'completed', due: null, generation: 1, failures: 0 },
    ]);
  });

  testLedger('an open job gives its result to the spelling that is listed', async (ledger) => {
    await recoverJob(
      ledger,
      { account: ACCOUNT.id, watch: OLD.id, baseUrl: ACCOUNT.baseUrl },
      {
        reference: 'J1' as Reference,
        state: 'processing',
        terminal: false,
        service: 'standard',
        project: 'Shop',
        createdAt: ledger.now() - DAY,
        charge: null,
        urls: [{ url: shopUrl('a/'), result: 'open', reason: null }],
      },
    );
    assert.equal(await buy(ledger, 'r1', { m: ['a'] }), 0);
    await recordUrlResults(ledger, ACCOUNT.id, 'J1' as Reference, [
      { url: shopUrl('a/'), result: 'failed', reason: null },
    ]);
    await end(ledger, 'J1' as Reference, 'failed');
    assert.equal((await history(ledger, 'a'))[0]?.due, 'retry');
  });
});

testLedger('the rows of a watch for bought ones are those with their URLs alone', async (ledger) => {
  await buy(ledger, 'r1', { a: ['1', '2', '3'] }, { configured: BOTH });
  await sendAll(ledger);
  await crawled(ledger, 'r2', { a: ['1', '2'] }, { watch: NEW.id, configured: BOTH });
  const watchId = (await findWatch(ledger.db, NEW.id))!;
  const idOf = async (path: string, watch: number) =>
    (await ledger.db.one(sql<{ id: number }>`SELECT id FROM urls WHERE url = ${shopUrl(path)} AND watch_id = ${watch}`))
      .id;
  const old = (await findWatch(ledger.db, OLD.id))!;
  const bought = await idOf('1', old);
  assert.deepEqual(await ledger.db.all(selectListed([bought], watchId)), [
    { bought, listed: await idOf('1', watchId) },
  ]);
  assert.deepEqual(await ledger.db.all(selectListed([await idOf('3', old)], watchId)), []);
});
