import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { micros } from '../../../contract/money.ts';
import { testOnEach } from '../../../test/support/database.ts';
import {
  ACCOUNT,
  crawled,
  QUARTER,
  type Site,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { ledgerOver, openLedger } from '../open-ledger.ts';
import { endRun } from '../runs/runs.ts';
import { planRun } from './make-plan.ts';

const input = { account: ACCOUNT, watch: WATCH };

const listKeys = async (ledger: Pick<TestLedger, 'db'>) =>
  (await ledger.db.all(sql<{ key: string }>`SELECT idempotency_key AS key FROM batches ORDER BY id`)).map(
    ({ key }) => key,
  );

const listPlanned = async (ledger: Pick<TestLedger, 'db'>) =>
  (
    await ledger.db.all(sql<{ url: string }>`
      SELECT u.url FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id ORDER BY m.batch_id, m.position`)
  ).map(({ url }) => url.replace('https://shop.example/', ''));

describe('make plan', () => {
  testOnEach(
    'the same due URLs get the same batches and keys, in whatever order the sitemaps were read',
    async (db, t) => {
      const pages = (name: string) => Array.from({ length: 2_600 }, (_, n) => `${name}/${n}`);
      const plan = async (ledger: Awaited<ReturnType<typeof ledgerOver>>, site: Site) => {
        await crawled(ledger, 'r1', site);
        await planRun(ledger, 'r1' as RunId, input);
        return listKeys(ledger);
      };
      const now = () => Date.UTC(2026, 0, 15);
      const site = { a: pages('a'), b: pages('b'), c: pages('c') };
      const first = await plan(await ledgerOver(db, now), site);
      const other = await openLedger('sqlite::memory:', { now });
      t.after(() => other.close());
      const second = await plan(other, { c: site.c, a: site.a.toReversed(), b: site.b });
      assert.equal(first.length, 2);
      assert.deepEqual(second, first);
    },
  );

  testLedger('under a cap, the URLs that have waited longest are bought first', async (ledger) => {
    const capped = { account: ACCOUNT, watch: { ...WATCH, spend: { ...WATCH.spend, perRun: micros(2 * QUARTER) } } };
    await crawled(ledger, 'r1', { a: ['z', 'y', 'x'] });
    assert.deepEqual([(await planRun(ledger, 'r1' as RunId, capped)).held], [1]);
    await endRun(ledger, 'r1' as RunId, 'finished');
    await crawled(ledger, 'r2', { a: ['z', 'y', 'x', 'a', 'b'] });
    const plan = await planRun(ledger, 'r2' as RunId, capped);
    assert.deepEqual([plan.urls, plan.held], [2, 1]);
    assert.deepEqual(await listPlanned(ledger), ['x', 'y', 'a', 'z']);
  });

  testLedger('a URL that another watch has only planned does not count as bought', async (ledger) => {
    const news = { ...WATCH, id: 'news' as WatchId };
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, input);
    await crawled(ledger, 'n1', { b: ['1'] }, { watch: news.id });
    assert.equal((await planRun(ledger, 'n1' as RunId, { account: ACCOUNT, watch: news })).urls, 0);
    await endRun(ledger, 'n1' as RunId, 'finished');
    // The first watch is removed and its batch is taken back: the other one buys the URL in its next run.
    await ledger.db.run(sql`UPDATE urls SET state = 'known' WHERE state = 'planned'`);
    await crawled(ledger, 'n2', { b: ['1'] }, { watch: news.id });
    assert.equal((await planRun(ledger, 'n2' as RunId, { account: ACCOUNT, watch: news })).urls, 1);
  });
});
