import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { formatVersion } from '../../url/version.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { planRun } from '../plans/make-plan.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';

const input = { account: ACCOUNT, watch: WATCH };
const OLD = '2026-01-01';
const NEW = '2026-01-09';

/** Plans and buys what a run found; returns how many URLs that were. */
async function buy(ledger: TestLedger, name: string): Promise<number> {
  const { urls } = await planRun(ledger, name as RunId, input);
  await sendAll(ledger);
  await settle(ledger);
  await endRun(ledger, name as RunId, 'finished');
  ledger.pass(DAY);
  return urls;
}

/** Every submitted URL is completed. */
async function settle(ledger: TestLedger): Promise<void> {
  await ledger.db.run({ strings: ["UPDATE urls SET state = 'completed' WHERE state = 'submitted'"], parts: [] });
}

const lastmodOf = async (ledger: TestLedger, path: string) =>
  formatVersion((await getUrlHistory(ledger, shopUrl(path)))[0]!.version!);

describe('record versions', () => {
  testLedger('a URL that changes and moves to another sitemap is bought again', async (ledger) => {
    await crawled(ledger, 'r1', {
      a: [
        ['1', OLD],
        ['2', OLD],
      ],
      b: [['3', OLD]],
    });
    assert.equal(await buy(ledger, 'r1'), 3);
    const diff = await crawled(ledger, 'r2', {
      a: [['2', OLD]],
      b: [
        ['1', NEW],
        ['3', OLD],
      ],
    });
    assert.deepEqual([diff.new, diff.changed, diff.known, diff.gone], [0, 1, 2, 0]);
    assert.equal(await buy(ledger, 'r2'), 1);
    assert.equal(await lastmodOf(ledger, '1'), NEW);
    const same = await crawled(ledger, 'r3', {
      a: [['2', OLD]],
      b: [
        ['1', NEW],
        ['3', OLD],
      ],
    });
    assert.deepEqual([same.changed, same.known], [0, 3]);
    assert.equal(await buy(ledger, 'r3'), 0);
  });

  testLedger(
    'in sitemaps sorted by date, each changed URL is bought once, whichever file it moves to',
    async (ledger) => {
      const pages = (changed: number) =>
        Array.from({ length: 40 }, (_, n): [string, string] => [`p/${n}`, n < changed ? NEW : OLD]);
      const files = (sorted: [string, string][]) => ({
        a: sorted.slice(0, 10),
        b: sorted.slice(10, 20),
        c: sorted.slice(20, 30),
        d: sorted.slice(30),
      });
      await crawled(ledger, 'r1', files(pages(0)));
      await buy(ledger, 'r1');
      const rotated = pages(25);
      const diff = await crawled(ledger, 'r2', files([...rotated.slice(13), ...rotated.slice(0, 13)]));
      assert.deepEqual([diff.new, diff.changed, diff.gone], [0, 25, 0]);
      assert.equal(await buy(ledger, 'r2'), 25);
    },
  );

  testLedger('a renamed sitemap buys only the URLs that changed', async (ledger) => {
    await crawled(ledger, 'r1', { a: [['1', OLD], ['2', OLD], '3'] });
    await buy(ledger, 'r1');
    const diff = await crawled(ledger, 'r2', {
      renamed: [
        ['1', NEW],
        ['2', OLD],
        ['3', NEW],
      ],
    });
    assert.deepEqual([diff.new, diff.changed, diff.gone], [0, 1, 0], '3 only began to have a lastmod');
    assert.equal(await buy(ledger, 'r2'), 1);
  });

  testLedger('a change after the point of truncation is bought with the next complete read', async (ledger) => {
    await crawled(ledger, 'r1', {
      a: {
        cut: [
          ['1', OLD],
          ['2', OLD],
        ],
      },
    });
    await buy(ledger, 'r1');
    const diff = await crawled(ledger, 'r2', {
      a: [
        ['1', OLD],
        ['2', NEW],
        ['3', OLD],
      ],
    });
    assert.deepEqual([diff.new, diff.changed], [1, 1]);
    assert.equal(await buy(ledger, 'r2'), 2);
  });

  testLedger('two sitemaps with different dates for a URL make it due once for each later date', async (ledger) => {
    const site = { a: [['1', OLD]], b: [['1', NEW]] } as const;
    const first = await crawled(ledger, 'r1', site);
    assert.deepEqual([first.new, first.changed], [1, 0]);
    assert.equal(await buy(ledger, 'r1'), 1);
    await completeRun(ledger, 'r2', { a: [['1', OLD]], c: [['1', NEW]] });
    await crawled(ledger, 'r3', { d: [['1', OLD]], c: [['1', NEW]] });
    assert.equal(await buy(ledger, 'r3'), 0, 'renaming the file with the earlier date buys nothing');
  });

  testLedger(
    'a change during an attempt is bought after the batch; one before the first attempt is part of it',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: [['1', OLD]] });
      await planRun(ledger, 'r1' as RunId, input);
      await endRun(ledger, 'r1' as RunId, 'finished');
      await completeRun(ledger, 'r2', { a: [['1', '2026-01-02']] });
      const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
      await beginSend(ledger, batch, input);
      await crawled(ledger, 'r3', { a: [['1', NEW]] });
      assert.equal((await planRun(ledger, 'r3' as RunId, input)).urls, 0, 'its batch has no answer yet');
      await endRun(ledger, 'r3' as RunId, 'finished');
      await sendAll(ledger);
      await settle(ledger);
      await crawled(ledger, 'r4', { a: [['1', NEW]] });
      assert.equal(await buy(ledger, 'r4'), 1, 'what was sent may have been the old page');
      await crawled(ledger, 'r5', { a: [['1', NEW]] });
      assert.equal(await buy(ledger, 'r5'), 0);
    },
  );

  testLedger('a lastmod that changes and reverts within not_within buys nothing', async (ledger) => {
    const watch = { ...WATCH, resubmit: { onLastmodChange: true, notWithinMs: 30 * DAY } };
    await crawled(ledger, 'r1', { a: [['1', OLD]] });
    await buy(ledger, 'r1');
    await completeRun(ledger, 'r2', { a: [['1', NEW]] });
    await crawled(ledger, 'r3', { a: [['1', OLD]] });
    assert.equal((await planRun(ledger, 'r3' as RunId, { account: ACCOUNT, watch })).urls, 0);
    await endRun(ledger, 'r3' as RunId, 'finished');
    ledger.pass(60 * DAY);
    await crawled(ledger, 'r4', { a: [['1', OLD]] });
    assert.equal((await planRun(ledger, 'r4' as RunId, { account: ACCOUNT, watch })).urls, 0);
    assert.match((await getUrlHistory(ledger, shopUrl('1')))[0]!.reason!, /not later than the one that was bought/);
  });

  testLedger('a shorter not_within applies from the next plan on', async (ledger) => {
    const within = (days: number) => ({
      account: ACCOUNT,
      watch: { ...WATCH, resubmit: { onLastmodChange: true, notWithinMs: days * DAY } },
    });
    await crawled(ledger, 'r1', { a: [['1', OLD]] });
    await buy(ledger, 'r1');
    await crawled(ledger, 'r2', { a: [['1', NEW]] });
    assert.equal((await planRun(ledger, 'r2' as RunId, within(30))).urls, 0);
    await endRun(ledger, 'r2' as RunId, 'finished');
    ledger.pass(3 * DAY);
    await crawled(ledger, 'r3', { a: [['1', NEW]] });
    assert.equal((await planRun(ledger, 'r3' as RunId, within(3))).urls, 1);
  });

  testLedger('a text that names no moment changes nothing', async (ledger) => {
    const texts = ['soon', OLD, 'later', OLD, 'soon', NEW];
    const changed: number[] = [];
    for (const [n, text] of texts.entries()) {
      const diff = await crawled(ledger, `r${n}`, { a: [['1', text]] });
      changed.push(diff.changed);
      await buy(ledger, `r${n}`);
    }
    assert.deepEqual(changed, [0, 0, 0, 0, 0, 1]);
  });

  testLedger(
    'a change while a batch was sent and surely not charged is covered by its next attempt',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: [['1', OLD]] });
      await planRun(ledger, 'r1' as RunId, input);
      await endRun(ledger, 'r1' as RunId, 'finished');
      const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      await beginSend(ledger, batch!.id, input);
      await completeRun(ledger, 'r2', { a: [['1', NEW]] });
      const none = {
        kind: 'retry',
        why: 'unavailable',
        chargeState: 'none',
        retryAfterMs: null,
        message: 'x',
      } as const;
      await recordAnswer(ledger, batch!.id, { attempt: 1, outcome: none, status: 503, requestId: null });
      ledger.pass(DAY / 24);
      await sendAll(ledger);
      await settle(ledger);
      await crawled(ledger, 'r3', { a: [['1', NEW]] });
      assert.equal(await buy(ledger, 'r3'), 0);
    },
  );
});
