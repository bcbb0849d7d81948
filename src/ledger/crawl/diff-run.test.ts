import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, completeRun, crawled, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { surveyDue } from '../plans/survey-due.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { getStoredSitemap, listFinishedSitemaps } from './sitemaps.ts';

const due = async (ledger: Ledger) =>
  (await surveyDue(ledger.db, (await findWatch(ledger.db, WATCH.id))!, null, ledger.now())).counts;

describe('diff run', () => {
  testLedger('a run finds what is new, changed, known and gone', async (ledger) => {
    const first = await completeRun(ledger, 'r1', { a: [['1', '2026-01-01'], '2', '3'] });
    assert.deepEqual(first, {
      found: 3,
      new: 3,
      changed: 0,
      known: 0,
      gone: 0,
      skipped: 0,
      complete: true,
      firstRun: true,
    });
    const second = await completeRun(ledger, 'r2', { a: [['1', '2026-01-02'], '3', '4'] });
    assert.deepEqual(second, {
      found: 3,
      new: 1,
      changed: 1,
      known: 1,
      gone: 1,
      skipped: 0,
      complete: true,
      firstRun: false,
    });
  });

  testLedger('a watch counts its own URLs, whichever others there are', async (ledger) => {
    const other = { watch: 'other' as WatchId };
    await completeRun(ledger, 'r1', { a: ['1', '2', '3'] });
    const first = await completeRun(ledger, 'o1', { b: ['4', '5'] }, other);
    assert.deepEqual([first.found, first.new, first.known], [2, 2, 0]);
    const second = await completeRun(ledger, 'o2', { b: ['4', '5', '6', '7', '8'] }, other);
    assert.deepEqual([second.found, second.new, second.known], [5, 3, 2]);
    assert.equal((await completeRun(ledger, 'r2', { a: ['1', '2', '3'] })).found, 3);
  });

  testLedger(
    'the URLs of a failed child sitemap are not gone, and are compared again when it can be read',
    async (ledger) => {
      await completeRun(ledger, 'r1', { a: ['1'], b: ['2', '3'] });
      const broken = await completeRun(ledger, 'r2', { a: ['4'], b: 'broken' });
      assert.deepEqual([broken.complete, broken.new, broken.gone], [false, 1, 0]);
      const whole = await completeRun(ledger, 'r3', { a: ['4'], b: ['2'] });
      assert.deepEqual([whole.complete, whole.new, whole.gone, whole.found], [true, 0, 2, 2], '1 and 3 are gone now');
    },
  );

  testLedger('an incomplete crawl still records the URLs that it has seen', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] });
    const diff = await completeRun(ledger, 'r2', { a: ['1', '2'] }, { complete: false });
    assert.deepEqual([diff.new, diff.gone, diff.complete], [1, 0, false]);
  });

  testLedger(
    'a URL seen only in a truncated sitemap is gone when the complete one does not list it',
    async (ledger) => {
      const cut = await completeRun(ledger, 'r1', { a: { cut: ['1', '2', '3'] } });
      assert.deepEqual([cut.complete, cut.new, cut.gone], [false, 3, 0]);
      const whole = await completeRun(ledger, 'r2', { a: ['1', '3', '4'] });
      assert.deepEqual([whole.new, whole.gone, whole.found], [1, 1, 3]);
      assert.equal((await due(ledger)).new, 3, 'what is gone before it was bought is not bought');
      assert.equal(
        (await completeRun(ledger, 'r3', { a: ['1', '2', '3', '4'] })).found,
        4,
        'and is there again when it comes back',
      );
    },
  );

  testLedger('the URLs of a sitemap that is no longer listed are gone, except those that moved', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2'], b: ['3', '4'] });
    const diff = await completeRun(ledger, 'r2', { a: ['1', '2', '3'] });
    assert.deepEqual([diff.new, diff.gone, diff.found], [0, 1, 3]);
  });

  testLedger('a URL in two sitemaps counts once and is gone when it is in neither', async (ledger) => {
    const first = await completeRun(ledger, 'r1', { a: ['1', '2'], b: ['2', '3'] });
    assert.deepEqual([first.found, first.new], [3, 3]);
    assert.equal((await completeRun(ledger, 'r2', { a: ['1'], b: ['2', '3'] })).gone, 0);
    assert.equal((await completeRun(ledger, 'r3', { a: ['1'], b: ['3'] })).gone, 1);
  });

  testLedger('a URL that comes back is known and not due', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2'] }, { firstRun: 'baseline' });
    await completeRun(ledger, 'r2', { a: ['1'] });
    const back = await completeRun(ledger, 'r3', { a: ['1', '2'] });
    assert.deepEqual([back.new, back.known, back.found], [0, 2, 2]);
    assert.equal((await due(ledger)).new, 0);
  });

  testLedger('a URL that disappears before it is bought is due only when it comes back', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2'] });
    await completeRun(ledger, 'r2', { a: ['1'] });
    assert.equal((await due(ledger)).new, 1);
    await completeRun(ledger, 'r3', { a: ['1', '2'] });
    assert.equal((await due(ledger)).new, 2);
  });

  testLedger('URLs of a sitemap that was not modified count as seen', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2'], b: ['3'] });
    const diff = await completeRun(ledger, 'r2', { a: 'not-modified', b: ['3'] });
    assert.deepEqual([diff.found, diff.known, diff.gone], [3, 3, 0]);
  });

  testLedger('reading a sitemap again after a worker was killed gives the same counts', async (ledger) => {
    await completeRun(ledger, 'r1', { a: [['1', '2026-01-01'], '2'] });
    const site = { a: [['1', '2026-01-02'], '3'] as const };
    const once = await crawled(ledger, 'r2', site);
    const again = await crawled(ledger, 'r2', site);
    assert.deepEqual(again, once);
    assert.deepEqual([again.new, again.changed, again.gone], [1, 1, 1]);
  });

  testLedger('a baseline adopts existing URLs; only later ones are due', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2'] }, { firstRun: 'baseline' });
    assert.equal((await due(ledger)).new, 0);
    await completeRun(ledger, 'r2', { a: ['1', '2', '3'], b: ['4'] }, { firstRun: 'baseline' });
    assert.equal((await due(ledger)).new, 2);
  });

  testLedger(
    'a child sitemap that could not be read during the baseline is adopted when it can be read',
    async (ledger) => {
      await completeRun(ledger, 'r1', { a: ['1'], b: 'broken' }, { firstRun: 'baseline' });
      await completeRun(ledger, 'r2', { a: ['1'], b: ['2', '3'] }, { firstRun: 'baseline' });
      assert.equal((await due(ledger)).new, 0);
      await completeRun(ledger, 'r3', { a: ['1'], b: ['2', '3', '4'] }, { firstRun: 'baseline' });
      assert.equal((await due(ledger)).new, 1);
    },
  );

  testLedger('a sitemap that adds lastmods or changes their format changes no URL', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', ['2', '2026-01-01T00:00:00Z']] });
    const diff = await completeRun(ledger, 'r2', {
      a: [
        ['1', '2026-01-01'],
        ['2', '2026-01-01T00:00:00+00:00'],
      ],
    });
    assert.equal(diff.changed, 0);
    assert.equal(
      (
        await completeRun(ledger, 'r3', {
          a: [
            ['1', '2026-01-05'],
            ['2', 'yesterday'],
          ],
        })
      ).changed,
      1,
      'what names no time changes nothing',
    );
  });

  testLedger('two runs of a watch do not overlap, and a dead run does not block the next', async (ledger) => {
    const start = { watch: WATCH.id, account: ACCOUNT.id, sources: ['a'], scope: '', firstRun: 'submit' } as const;
    const [one, two] = await Promise.all(['r1', 'r2'].map((run) => beginRun(ledger, { ...start, run: run as RunId })));
    assert.deepEqual([one!.kind, two!.kind].sort(), ['active', 'begun']);
    ledger.pass(25 * 3_600_000);
    assert.equal((await beginRun(ledger, { ...start, run: 'r3' as RunId })).kind, 'begun');
    await assert.rejects(crawled(ledger, one!.kind === 'begun' ? 'r1' : 'r2', { a: ['1'] }), /has ended \(abandoned\)/);
  });

  testLedger('a retry skips sitemaps that the run has already read', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'], b: 'broken' });
    assert.deepEqual([...(await listFinishedSitemaps(ledger, 'r1' as RunId)).keys()], ['a']);
  });

  testLedger('HTTP validators of another scope are not used', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] }, { scope: 'one' });
    await crawled(ledger, 'r2', { b: ['1'] }, { scope: 'one', complete: false });
    assert.equal((await getStoredSitemap(ledger, 'r2' as RunId, 'a'))?.kind, 'urlset');
    await endRun(ledger, 'r2' as RunId, 'finished');
    await crawled(ledger, 'r3', { b: ['1'] }, { scope: 'two', complete: false });
    assert.equal(await getStoredSitemap(ledger, 'r3' as RunId, 'a'), undefined);
  });

  testLedger('a run that could not read everything counts what each sitemap lists', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2', '3'], b: ['4'], c: ['5'] });
    const run = await completeRun(ledger, 'r2', { a: 'not-modified', b: 'not-modified', c: 'broken' });
    assert.deepEqual([run.found, run.known, run.gone, run.complete], [4, 4, 0, false]);
  });

  testLedger('a run reports URLs that only an unapplied plan has seen as new', async (ledger) => {
    await completeRun(ledger, 'r1', { a: [['1', '2026-01-01'], '2'] });
    const site = { a: [['1', '2026-01-09'], '3', '4'] as const };
    const seen = await crawled(ledger, 'look', site);
    await endRun(ledger, 'look' as RunId, 'previewed');
    const run = await crawled(ledger, 'r2', site);
    assert.deepEqual([seen.new, seen.changed, seen.gone], [2, 1, 1]);
    assert.deepEqual([run.new, run.changed, run.gone, run.known], [2, 1, 1, 0]);
    await endRun(ledger, 'r2' as RunId, 'finished');
    const next = await crawled(ledger, 'r3', site);
    assert.deepEqual([next.new, next.changed, next.gone, next.known], [0, 0, 0, 3]);
  });
});
