import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { listSkippedByReason } from '../reports/run-summary.ts';
import { beginRun } from '../runs/runs.ts';
import { observe } from './observe.ts';

const run = 'r1' as RunId;
const sitemap = 'https://shop.example/sitemap.xml';

describe('what a crawl skips', () => {
  testLedger('is counted by reason, with the first five of each as examples', async (ledger) => {
    const start = { watch: WATCH.id, account: ACCOUNT.id, run, sources: [sitemap] };
    await beginRun(ledger, { ...start, scope: '', firstRun: 'submit' });
    const observation = await observe(ledger, run);
    const long = `https://shop.example/${'x'.repeat(600)}`;
    for (const url of [long, long, 'a', 'b', 'c', 'd']) observation.skipped(sitemap, 'TOO_LONG', url);
    observation.skipped(sitemap, 'OUT_OF_SCOPE', 'e', 40);
    observation.skipped(sitemap, 'OUT_OF_SCOPE', 'f', 2);
    const fingerprint = '0'.repeat(64);
    const known = { kind: 'urlset', urls: 48, fingerprint, bytes: 1, tookMs: 1 } as const;
    await observation.verdict(sitemap, { verdict: 'complete', ...known });
    const cut = long.slice(0, 500);
    assert.deepEqual(await listSkippedByReason(ledger, run), [
      { reason: 'OUT_OF_SCOPE', urls: 42, sample: ['e', 'f'] },
      { reason: 'TOO_LONG', urls: 6, sample: [cut, cut, 'a', 'b', 'c'] },
    ]);
  });
});
