import { planRun } from '../../src/ledger/plans/make-plan.ts';
import type { WatchPolicy } from '../../src/ledger/policy.ts';
import { endRun } from '../../src/ledger/runs/runs.ts';
import type { RunId } from '../../src/submission/ids.ts';
import { ACCOUNT, crawled, type Site, sendAll, type TestLedger, WATCH } from './ledger.ts';
import { endJob } from './service-results.ts';

/** One run with its plan; how many URLs it buys. */
export async function planPages(
  ledger: TestLedger,
  run: string,
  pages: Site,
  watch: WatchPolicy = WATCH,
): Promise<number> {
  await crawled(ledger, run, pages, { watch: watch.id, configured: [WATCH.id, watch.id] });
  const { urls } = await planRun(ledger, run as RunId, { account: ACCOUNT, watch });
  await endRun(ledger, run as RunId, 'finished');
  return urls;
}

/** A ledger that bought page 1 as of 1 January, on the 15th at noon: the copy that comes back. */
export async function makeCopy(ledger: TestLedger): Promise<void> {
  await planPages(ledger, 'before', { a: [['1', '2026-01-01']] });
  for (const reference of await sendAll(ledger)) await endJob(ledger, reference);
}
