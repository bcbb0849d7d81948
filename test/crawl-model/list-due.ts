import type { Ledger } from '../../src/ledger/open-ledger.ts';
import { previewRuns } from '../../src/ledger/plans/preview-runs.ts';
import { listPlannedUrls } from '../../src/ledger/reports/planned-urls.ts';
import type { RunId } from '../../src/submission/ids.ts';
import { ACCOUNT, WATCH } from '../support/ledger.ts';

/** The pages that a plan of the run would buy, sorted. */
export async function listDue(ledger: Ledger, run: RunId): Promise<string[]> {
  const urls: string[] = [];
  const inspect: NonNullable<Parameters<typeof previewRuns>[2]>['inspect'] = async (tx, row) => {
    urls.push(...(await listPlannedUrls(tx, row)).map(({ url }) => url));
  };
  await previewRuns(ledger, [{ run, input: { watch: WATCH, account: ACCOUNT } }], { inspect });
  return urls.sort();
}
