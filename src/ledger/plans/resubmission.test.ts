import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  crawled,
  HOUR,
  type Site,
  sendAll,
  shopUrl,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { endJob } from '../../../test/support/service-results.ts';
import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { resolveNeedsReview } from '../batches/resolve-review.ts';
import { reviewBatch } from '../batches/review-batch.ts';
import { releaseUrl } from '../jobs/quarantine.ts';
import type { Ledger } from '../open-ledger.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { planRun } from './make-plan.ts';

const NEWS = { ...WATCH, id: 'news' as WatchId };
const BOTH = [WATCH.id, NEWS.id];
const DAY_1 = '2026-01-10';
const DAY_2 = '2026-01-12';

let runs = 0;

/** One run of a watch with its plan; how many URLs it plans. */
async function plan(ledger: Ledger, watch: typeof WATCH, site: Site = { a: ['1'] }): Promise<number> {
  const run = `r${++runs}`;
  await crawled(ledger, run, site, { watch: watch.id, configured: BOTH });
  const { urls } = await planRun(ledger, run as RunId, { account: ACCOUNT, watch });
  await endRun(ledger, run as RunId, 'finished');
  return urls;
}

/** The first watch has planned the page, and an operator has released or left its batch. */
async function released(ledger: Ledger, site?: Site, how: 'release' | 'leave' = 'release'): Promise<void> {
  assert.equal(await plan(ledger, WATCH, site), 1);
  const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
  assert.ok(batch !== undefined);
  await reviewBatch(ledger, batch.id, { code: 'lookup_refused', text: 'no' });
  assert.ok(await resolveNeedsReview(ledger, batch.id, how));
}

/** Both watches have planned the page, as they do while each has an account of its own. */
const plannedByBoth = async (ledger: Ledger, site: Site): Promise<void> => {
  await plan(ledger, WATCH, site);
  await ledger.db.run(sql`UPDATE urls SET fp = fp + 1`);
  await plan(ledger, NEWS, site);
  await ledger.db.run(sql`
    UPDATE urls SET fp = fp - 1 WHERE watch_id = (SELECT id FROM watches WHERE name = ${WATCH.id})`);
};

const reasons = async (ledger: Ledger) =>
  Object.fromEntries((await getUrlHistory(ledger, shopUrl(1))).map(({ watch, reason }) => [watch, reason]));

describe('a URL of two watches that is due in one of them again', () => {
  testLedger('one that an operator released is not bought beside the other watch, which bought it', async (ledger) => {
    await released(ledger);
    assert.equal(await plan(ledger, NEWS), 1);
    assert.equal(await plan(ledger, WATCH), 0);
    assert.match((await reasons(ledger))[WATCH.id] ?? '', /^planned by another watch/);
    await sendAll(ledger);
    assert.equal(await plan(ledger, WATCH), 0);
    assert.match((await reasons(ledger))[WATCH.id] ?? '', /^bought by another watch/);
    const [dropped] = (await getUrlHistory(ledger, shopUrl(1))).filter(({ watch }) => watch === WATCH.id);
    assert.equal(dropped?.state, 'known', 'it waits for nothing any more');
    assert.equal(await plan(ledger, NEWS), 0);
  });

  testLedger('whichever watch plans first: the other one waits for its released URL', async (ledger) => {
    await released(ledger);
    assert.equal(await plan(ledger, WATCH), 1);
    assert.equal(await plan(ledger, NEWS), 0);
    await sendAll(ledger);
    assert.deepEqual([await plan(ledger, NEWS), await plan(ledger, WATCH)], [0, 0]);
  });

  testLedger('it is bought when the batch of the other watch is taken back', async (ledger) => {
    await released(ledger);
    await plan(ledger, NEWS);
    assert.equal(await plan(ledger, WATCH), 0);
    await ledger.db.run(sql`UPDATE urls SET state = 'known' WHERE state = 'planned'`);
    assert.equal(await plan(ledger, WATCH), 1);
  });

  testLedger('it is bought when it has changed since the other watch bought it', async (ledger) => {
    await released(ledger, { a: [['1', DAY_1]] });
    await plan(ledger, NEWS, { a: [['1', DAY_1]] });
    await sendAll(ledger);
    assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_2]] }), 1);
  });

  testLedger('one that was left in review is not bought by the other watch before it changes', async (ledger) => {
    await released(ledger, { a: [['1', DAY_1]] }, 'leave');
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_1]] }), 0, 'it may be charged');
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_2]] }), 1);
  });

  testLedger('of two that were released from quarantine one is bought', async (ledger) => {
    const site = { a: [['1', DAY_1]] } as const;
    await plannedByBoth(ledger, site);
    for (const reference of await sendAll(ledger)) {
      await endJob(ledger, reference, { state: 'failed' });
      ledger.pass(1_000);
    }
    for (const watch of BOTH) assert.ok(await releaseUrl(ledger, watch, shopUrl(1)));
    assert.equal(await plan(ledger, WATCH, site), 1);
    assert.equal(await plan(ledger, NEWS, site), 0);
    await sendAll(ledger);
    assert.deepEqual([await plan(ledger, NEWS, site), await plan(ledger, WATCH, site)], [0, 0]);
  });

  testLedger(
    'one that is released from quarantine is bought, whatever the other watch bought before',
    async (ledger) => {
      const site = { a: [['1', DAY_1]] } as const;
      await plannedByBoth(ledger, site);
      const [first, second] = await sendAll(ledger);
      await ledger.db.run(sql`
      UPDATE urls SET bought_at = bought_at + 1 WHERE watch_id = (SELECT id FROM watches WHERE name = ${WATCH.id})`);
      await endJob(ledger, first!, { state: 'failed' });
      for (const state of ['open', 'completed', 'failed'] as const) {
        if (state !== 'open') await endJob(ledger, second!, { state });
        assert.ok(await releaseUrl(ledger, WATCH.id, shopUrl(1)));
        assert.equal(await plan(ledger, WATCH, site), 1, state);
        await ledger.db.run(sql`UPDATE urls SET state = 'quarantined' WHERE state = 'planned'`);
      }
    },
  );

  testLedger('a failed one waits for the batch of the other watch, and keeps its time', async (ledger) => {
    await plannedByBoth(ledger, { a: ['1'] });
    for (const reference of await sendAll(ledger)) {
      await endJob(ledger, reference, { state: 'failed', retryFailed: WATCH.retryFailed });
      ledger.pass(HOUR / 2);
    }
    assert.equal(await plan(ledger, WATCH), 1);
    assert.equal(await plan(ledger, NEWS), 0, 'not due yet');
    assert.doesNotMatch((await reasons(ledger))[NEWS.id] ?? '', /another watch/);
    ledger.pass(HOUR);
    assert.equal(await plan(ledger, NEWS), 0, 'planned by the other watch');
    assert.match((await reasons(ledger))[NEWS.id] ?? '', /^planned by another watch/);
    await sendAll(ledger);
    ledger.pass(2 * HOUR);
    assert.equal(await plan(ledger, NEWS), 0, 'bought by the other watch');
    assert.match((await reasons(ledger))[NEWS.id] ?? '', /^bought by another watch/);
  });

  testLedger('one that has changed waits for the retry that the other watch has planned', async (ledger) => {
    assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_1]] }), 1);
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_1]] }), 0, 'the other watch has it');
    const [reference] = await sendAll(ledger);
    await endJob(ledger, reference!, { state: 'failed', retryFailed: WATCH.retryFailed });
    ledger.pass(2 * HOUR);
    assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_1]] }), 1);
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_2]] }), 0);
    assert.match((await reasons(ledger))[NEWS.id] ?? '', /^planned by another watch/);
    await sendAll(ledger);
    ledger.pass(2 * HOUR);
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_2]] }), 1);
  });

  testLedger('a failed one that has failed too often in the other watch since is not bought again', async (ledger) => {
    const site = { a: [['1', DAY_1]] } as const;
    await plannedByBoth(ledger, site);
    const [first, second] = await sendAll(ledger);
    await ledger.db.run(sql`
      UPDATE urls SET bought_at = bought_at + 1 WHERE watch_id = (SELECT id FROM watches WHERE name = ${NEWS.id})`);
    await endJob(ledger, first!, { state: 'failed', retryFailed: WATCH.retryFailed });
    await endJob(ledger, second!, { state: 'failed' });
    ledger.pass(2 * HOUR);
    assert.equal(await plan(ledger, WATCH, site), 0);
    assert.match((await reasons(ledger))[WATCH.id] ?? '', /^in quarantine under another watch/);
    assert.ok(await releaseUrl(ledger, NEWS.id, shopUrl(1)));
    assert.equal(await plan(ledger, NEWS, site), 1, 'an operator has released it there');
  });

  testLedger(
    'one that changes is not bought sooner after its purchase by the other watch than allowed',
    async (ledger) => {
      const rare = { ...NEWS, resubmit: { ...NEWS.resubmit, notWithinMs: 30 * 24 * HOUR } };
      assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_1]] }), 1);
      await sendAll(ledger);
      assert.equal(await plan(ledger, rare, { a: [['1', DAY_1]] }), 0);
      assert.equal(await plan(ledger, rare, { a: [['1', DAY_2]] }), 0, 'it was bought minutes ago');
      ledger.pass(31 * 24 * HOUR);
      assert.equal(await plan(ledger, rare, { a: [['1', DAY_2]] }), 1);
    },
  );

  testLedger(
    'one that was seen before the other watch bought it is bought again only if it has changed since',
    async (ledger) => {
      const rare = { ...NEWS, resubmit: { ...WATCH.resubmit, notWithinMs: 30 * 24 * HOUR } };
      assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_1]] }), 1);
      assert.equal(await plan(ledger, rare, { a: [['1', DAY_1]] }), 0, 'the other watch has it');
      await sendAll(ledger);
      ledger.pass(2 * HOUR);
      assert.equal(await plan(ledger, rare, { a: [['1', DAY_2]] }), 0, 'it was bought hours ago');
      ledger.pass(31 * 24 * HOUR);
      assert.equal(await plan(ledger, rare, { a: [['1', DAY_2]] }), 1);
    },
  );

  testLedger('one that a later date shows first is not bought again for it', async (ledger) => {
    assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_1]] }), 1);
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_2]] }), 0, 'the other watch has it');
    await sendAll(ledger);
    ledger.pass(2 * HOUR);
    assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_2]] }), 0);
  });

  testLedger('one that is in quarantine in the other watch is not bought, and the reason says so', async (ledger) => {
    assert.equal(await plan(ledger, WATCH), 1);
    const [reference] = await sendAll(ledger);
    await endJob(ledger, reference!, { state: 'failed' });
    assert.equal(await plan(ledger, NEWS), 0);
    assert.match((await reasons(ledger))[NEWS.id] ?? '', /^in quarantine under another watch/);
  });

  testLedger(
    'one that was never bought here and changes stays in the quarantine of the other watch',
    async (ledger) => {
      assert.equal(await plan(ledger, WATCH, { a: [['1', DAY_1]] }), 1);
      await crawled(
        ledger,
        'baseline',
        { a: [['1', DAY_1]] },
        { watch: NEWS.id, firstRun: 'baseline', configured: BOTH },
      );
      await endRun(ledger, 'baseline' as RunId, 'finished');
      const [reference] = await sendAll(ledger);
      await endJob(ledger, reference!, { state: 'failed' });
      assert.equal(await plan(ledger, NEWS, { a: [['1', DAY_2]] }), 0);
      assert.match((await reasons(ledger))[NEWS.id] ?? '', /^in quarantine under another watch/);
    },
  );
});
