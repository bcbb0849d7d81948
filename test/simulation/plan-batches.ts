import type { Config } from '../../src/config/config.ts';
import { diffRun } from '../../src/ledger/crawl/diff-run.ts';
import { observe } from '../../src/ledger/crawl/observe.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { beginRun, endRun } from '../../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../../src/submission/ids.ts';
import type { Url } from '../../src/url/normalize-url.ts';

interface Planner {
  readonly ledger: Ledger;
  readonly config: Config;
}

/** Plans a batch of these URLs, a run of its own, straight into the ledger: crawling is not what is measured. */
export async function planBatch(
  { ledger, config }: Planner,
  id: WatchId,
  name: string,
  urls: readonly string[],
): Promise<void> {
  const watch = config.watches.get(id)!;
  const account = config.accounts.get(watch.account)!;
  const run = `planned-${name}` as RunId;
  const sitemap = new URL(`/${name}.xml`, urls[0]).href;
  const start = { watch: watch.id, account: account.id, run, sources: [sitemap], scope: '' };
  await beginRun(ledger, { ...start, firstRun: 'submit' });
  const observation = await observe(ledger, run);
  const pages = urls.map((url) => ({ url: url as Url, version: null }));
  await observation.entries(sitemap, pages);
  const known = { kind: 'urlset', urls: pages.length, fingerprint: name, bytes: 1, tookMs: 1 } as const;
  await observation.verdict(sitemap, { verdict: 'complete', ...known });
  await diffRun(ledger, run, { complete: false });
  await planRun(ledger, run, { watch, account });
  await endRun(ledger, run, 'finished');
}
