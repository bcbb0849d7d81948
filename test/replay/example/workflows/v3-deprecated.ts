import { deprecatePatch, proxyActivities, sleep } from '@temporalio/workflow';
import type { ReportActivities } from '../activities.ts';

const { countUrls, countCharges, sendReport } = proxyActivities<ReportActivities>({
  startToCloseTimeout: '10 seconds',
});

/** Step 2, when no execution of version 1 is open: the old branch goes, the marker stays readable. */
export async function weeklyReport(): Promise<string> {
  const urls = await countUrls();
  deprecatePatch('report-charges');
  const charges = await countCharges();
  await sleep('1 second', { summary: 'Until Monday' });
  return sendReport(urls, charges);
}
