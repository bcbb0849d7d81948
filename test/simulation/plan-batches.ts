import { diffRun } from '../../src/ledger/crawl/diff-run.ts';
import { observe } from '../../src/ledger/crawl/observe.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { beginRun, endRun } from '../../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../../src/submission/ids.ts';
import type { Url } from '../../src/url/normalize-url.ts';
import { HOST } from '../chaos/site.ts';
import type { Stack } from './stack.ts';

/** The size of a batch changes nothing about the number of requests. */
const URLS = 3;

/** Plans the n-th batch, a run of its own, straight into the ledger: crawling is not what is measured. */
export async function planBatch({ ledger, config }: Pick<Stack, 'ledger' | 'config'>, n: number): Promise<void> {
  const watch = config.watches.get('shop' as WatchId)!;
  const account = config.accounts.get(watch.account)!;
  const run = `planned-${n}` as RunId;
  const sitemap = `https://${HOST}/${n}.xml`;
  const start = { watch: watch.id, account: account.id, run, sources: [sitemap], scope: '' };
  await beginRun(ledger, { ...start, firstRun: 'submit' });
  const observation = await observe(ledger, run);
  const pages = Array.from({ length: URLS }, (_, page) => ({
    url: `https://${HOST}/${n}/${page}` as Url,
    lastmod: null,
    lastmodAt: null,
  }));
  await observation.entries(sitemap, pages);
  await observation.verdict(sitemap, {
    verdict: 'complete',
    kind: 'urlset',
    urls: pages.length,
    fingerprint: `${n}`,
  });
  await diffRun(ledger, run, { complete: false });
  await planRun(ledger, run, { watch, account });
  await endRun(ledger, run, 'finished');
}
