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

  testLedger('keeps nothing that lets the next visit skip a sitemap with a date that lies ahead', async (ledger) => {
    const known = { kind: 'urlset', urls: 1, fingerprint: '0'.repeat(64), bytes: 1, tookMs: 1 } as const;
    const visit = async (name: string, daysAhead: number) => {
      const run = name as RunId;
      const start = { watch: WATCH.id, account: ACCOUNT.id, run, sources: [sitemap], scope: '' };
      await beginRun(ledger, { ...start, firstRun: 'submit' });
      const observation = await observe(ledger, run);
      const version = makeVersion(ledger.now() + daysAhead * DAY, SPAN.second);
      await observation.entries(sitemap, [{ url: shopUrl('1'), version }]);
      await observation.verdict(sitemap, { ...known, verdict: 'complete', etag: '"a"' });
      await endRun(ledger, run, 'previewed');
      return (await getStoredSitemap(ledger, run, sitemap))?.etag;
    };
    assert.equal(await visit('r1', 2), undefined);
    assert.equal(await visit('r2', 0), '"a"');
  });
});
