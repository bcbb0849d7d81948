import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, DAY, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { makeVersion, SPAN } from '../../url/version.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { observe } from './observe.ts';
import { getStoredSitemap, type SitemapVerdict } from './sitemaps.ts';

const run = 'r1' as RunId;
const sitemap = 'https://shop.example/sitemap.xml';

describe('the verdict on a sitemap', () => {
  testLedger('is that of its last visit in a run, with its message', async (ledger) => {
    await beginRun(ledger, {
      watch: WATCH.id,
      account: ACCOUNT.id,
      run,
      sources: [sitemap],
      scope: '',
      firstRun: 'submit',
    });
    const visit = async (verdict: Parameters<Awaited<ReturnType<typeof observe>>['verdict']>[1]) => {
      const observation = await observe(ledger, run);
      await observation.verdict(sitemap, verdict);
      return ledger.db.one(sql<{ verdict: string; code: string | null; message: string | null }>`
        SELECT verdict, code, message FROM run_sitemaps`);
    };
    const cut = { verdict: 'incomplete', code: 'NETWORK', message: 'it broke off' };
    assert.deepEqual({ ...(await visit(cut as never)) }, cut);
    const error = { verdict: 'incomplete', code: 'HTTP_STATUS', message: 'status 500' };
    assert.deepEqual({ ...(await visit(error as never)) }, error);
    const read = { verdict: 'complete', kind: 'urlset', urls: 7, fingerprint: '0'.repeat(64) };
    assert.deepEqual({ ...(await visit(read as never)) }, { verdict: 'complete', code: null, message: null });
  });

  testLedger(
    'keeps the validators of the last transfer, also when its bytes were those of the one before',
    async (ledger) => {
      const known = { kind: 'urlset', urls: 0, fingerprint: '0'.repeat(64), bytes: 1, tookMs: 1 } as const;
      const visit = async (name: string, verdict: SitemapVerdict) => {
        const run = name as RunId;
        await beginRun(ledger, {
          watch: WATCH.id,
          account: ACCOUNT.id,
          run,
          sources: [sitemap],
          scope: '',
          firstRun: 'submit',
        });
        await (await observe(ledger, run)).verdict(sitemap, verdict);
        await endRun(ledger, run, 'previewed');
        return (await getStoredSitemap(ledger, run, sitemap))?.etag;
      };
      assert.equal(await visit('r1', { ...known, verdict: 'complete', etag: '"a"' }), '"a"');
      assert.equal(await visit('r2', { ...known, verdict: 'not-modified', etag: '"b"' }), '"b"');
      const saved = { bytes: 1, ms: 1 };
      assert.equal(await visit('r3', { ...known, verdict: 'not-modified', etag: '"b"', saved }), '"b"');
    },
  );

  testLedger(
    'lets visits skip a sitemap that is the same until the first date that lies ahead has come',
    async (ledger) => {
      const known = { kind: 'urlset', urls: 1, fingerprint: '0'.repeat(64), bytes: 1, tookMs: 1 } as const;
      const began = ledger.now();
      const visit = async (name: string, day: number, daysAhead: readonly number[], kept: SitemapVerdict) => {
        const run = name as RunId;
        const start = { watch: WATCH.id, account: ACCOUNT.id, run, sources: [sitemap], scope: '' };
        const then = { ...ledger, now: () => began + day * DAY };
        await beginRun(then, { ...start, firstRun: 'submit' });
        const observation = await observe(then, run);
        const entries = daysAhead.map((days, at) => {
          return { url: shopUrl(String(at)), version: makeVersion(began + days * DAY, SPAN.second) };
        });
        await observation.entries(sitemap, entries);
        await observation.verdict(sitemap, kept);
        await endRun(then, run, 'previewed');
        return async (later: number) =>
          (await getStoredSitemap({ ...ledger, now: () => began + later * DAY }, run, sitemap))?.etag;
      };
      const first = await visit('r1', 0, [9, 5, 0, 7], { ...known, verdict: 'complete', etag: '"a"' });
      assert.deepEqual([await first(0), await first(3.9), await first(4)], ['"a"', '"a"', undefined]);
      const same = await visit('r2', 3, [], { ...known, verdict: 'not-modified', etag: '"b"' });
      assert.deepEqual([await same(3.9), await same(4)], ['"b"', undefined]);
      const come = await visit('r3', 5, [0, 1], { ...known, verdict: 'complete', etag: '"c"' });
      assert.deepEqual(await come(1_000), '"c"');
    },
  );
});
