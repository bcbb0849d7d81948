import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { makeCopy, planPages } from '../../../test/support/copied-ledger.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  type Site,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { Reference, RunId, WatchId } from '../../submission/ids.ts';
import { formatVersion } from '../../url/version.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { planRun } from '../plans/make-plan.ts';
import type { WatchPolicy } from '../policy.ts';
import { eachPurchasedPage } from '../reports/purchased-urls.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { recoverJob } from './recover.ts';

const OTHER: WatchPolicy = { ...WATCH, id: 'other' as WatchId };

const site = (lastmod: string): Site => ({ a: [['1', lastmod]] });

/** A job with page 1 that the copy lacks. */
const recover = (ledger: TestLedger, createdAt: string, paths: readonly string[] = ['1']) =>
  recoverJob(
    ledger,
    { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
    {
      reference: `R-${createdAt}` as Reference,
      state: 'completed',
      terminal: true,
      service: 'standard',
      project: 'Shop [sc00112233445566]',
      createdAt: Date.parse(createdAt),
      charge: (paths.length * 250_000) as Micros,
      urls: paths.map((path) => ({ url: shopUrl(path), result: 'completed', reason: null })),
    },
  );

describe('a page that changed since the copy', () => {
  for (const { lastmod, urls, why } of [
    { lastmod: '2026-01-16T08:00:00Z', urls: 0, why: 'a change before the job is bought' },
    { lastmod: '2026-01-17T10:00:00Z', urls: 0, why: 'a change at the moment of the job is bought' },
    { lastmod: '2026-01-17T10:00:00.001Z', urls: 1, why: 'a later one is not' },
    { lastmod: '2026-01-17', urls: 0, why: 'a day counts from its start, in UTC' },
    { lastmod: '2026-01-18', urls: 1, why: 'the next day is a change' },
  ]) {
    testLedger(`lastmod ${lastmod}: ${why}`, async (ledger) => {
      await makeCopy(ledger);
      ledger.pass(7 * DAY);
      await recover(ledger, '2026-01-17T10:00:00Z');
      assert.equal(await planPages(ledger, 'after', site(lastmod)), urls);
      const [page] = await getUrlHistory(ledger, shopUrl('1'));
      if (urls === 0) assert.match(page?.reason ?? '', /^it changed before a job was created/);
    });
  }

  for (const { lastmod, urls, why } of [
    { lastmod: '2026-01-17T10:00:00Z', urls: 0, why: 'the first date, of the moment of the job, is bought' },
    { lastmod: '2026-01-17', urls: 0, why: 'a day counts from its start, in UTC' },
    { lastmod: '2026-01-18', urls: 1, why: 'the first date, later than the job, is a change' },
  ])
    testLedger(`a page that the copy lacks, ${lastmod}: ${why}`, async (ledger) => {
      await makeCopy(ledger);
      ledger.pass(7 * DAY);
      await recover(ledger, '2026-01-17T10:00:00Z', ['9']);
      const later: Site = {
        a: [
          ['1', '2026-01-01'],
          ['9', lastmod],
        ],
      };
      assert.equal(await planPages(ledger, 'after', later), urls);
      assert.equal(await planPages(ledger, 'later', later), 0);
    });

  for (const { lastmod, urls, why } of [
    { lastmod: '2026-01-17', urls: 0, why: 'is bought' },
    { lastmod: '2026-01-18', urls: 1, why: 'later than the job, is a change' },
  ])
    testLedger(`a new page that a run has seen before the recovery, ${lastmod}: ${why}`, async (ledger) => {
      await makeCopy(ledger);
      ledger.pass(7 * DAY);
      const later: Site = {
        a: [
          ['1', '2026-01-01'],
          ['9', lastmod],
        ],
      };
      await completeRun(ledger, 'seen', later);
      await recover(ledger, '2026-01-17T10:00:00Z', ['9']);
      assert.equal(await planPages(ledger, 'after', later), urls);
      assert.equal(await planPages(ledger, 'later', later), 0);
    });

  testLedger('a text that names no time is no change', async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(7 * DAY);
    await recover(ledger, '2026-01-17T10:00:00Z');
    assert.equal(await planPages(ledger, 'after', site('last week')), 0);
    assert.equal((await getUrlHistory(ledger, shopUrl('1')))[0]?.due, null);
  });

  testLedger('it is not bought again when a run sees it before the recovery', async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(7 * DAY);
    await completeRun(ledger, 'seen', site('2026-01-16'));
    await recover(ledger, '2026-01-17T10:00:00Z');
    assert.equal(await planPages(ledger, 'after', site('2026-01-16')), 0);
    assert.equal(await planPages(ledger, 'later', site('2026-01-20')), 1, 'a change after the job is bought');
  });

  for (const days of [1, 7]) {
    testLedger(`a plan that was made for it ${days} days after the job is taken back`, async (ledger) => {
      await makeCopy(ledger);
      const two: Site = { a: [['1', '2026-01-16'], '2'] };
      ledger.pass((2 + days) * DAY - HOUR);
      assert.equal(await planPages(ledger, 'planned', two), 2);
      await recover(ledger, '2026-01-17T10:00:00Z');
      assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, []);
      assert.equal(await planPages(ledger, 'after', two), 1, 'page 2 alone');
    });
  }

  testLedger('a plan for a change after the job stays', async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(9 * DAY);
    assert.equal(await planPages(ledger, 'planned', site('2026-01-20')), 1);
    await recover(ledger, '2026-01-17T10:00:00Z');
    assert.equal((await listPendingBatches(ledger, ACCOUNT.id)).batches.length, 1);
  });

  testLedger('another watch that lists it does not buy it either', async (ledger) => {
    await makeCopy(ledger);
    await planPages(ledger, 'other-before', site('2026-01-01'), OTHER);
    ledger.pass(7 * DAY);
    await recover(ledger, '2026-01-17T10:00:00Z');
    assert.equal(await planPages(ledger, 'other-after', site('2026-01-16'), OTHER), 0);
    assert.equal(
      await planPages(ledger, 'other-later', site('2026-01-20'), OTHER),
      1,
      'a change after the job is bought',
    );
  });

  testLedger('nor does its watch under a new name', async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(7 * DAY);
    await recover(ledger, '2026-01-17T10:00:00Z');
    const renamed = { watch: OTHER.id, configured: [OTHER.id] };
    await crawled(ledger, 'renamed', site('2026-01-16'), renamed);
    assert.equal((await planRun(ledger, 'renamed' as RunId, { account: ACCOUNT, watch: OTHER })).urls, 0);
  });

  testLedger('an older job takes nothing from a newer one', async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(7 * DAY);
    await recover(ledger, '2026-01-18T10:00:00Z');
    await recover(ledger, '2026-01-16T10:00:00Z');
    assert.equal(await planPages(ledger, 'after', site('2026-01-17')), 0);
  });

  testLedger('an export names no lastmod that the service does not know', async (ledger) => {
    await makeCopy(ledger);
    ledger.pass(7 * DAY);
    const readLastmods = async () => {
      const lastmods = [];
      for await (const page of eachPurchasedPage(ledger.db, []))
        lastmods.push(...page.map(({ bought_version: version }) => version && formatVersion(version)));
      return lastmods;
    };
    assert.deepEqual(await readLastmods(), ['2026-01-01']);
    await recover(ledger, '2026-01-17T10:00:00Z');
    assert.deepEqual(await readLastmods(), [null]);
    assert.equal(await planPages(ledger, 'after', site('2026-01-20')), 1);
    await sendAll(ledger);
    assert.deepEqual(await readLastmods(), ['2026-01-20'], 'what the ledger bought itself is known');
  });
});
