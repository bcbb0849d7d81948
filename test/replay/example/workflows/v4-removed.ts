import { proxyActivities, sleep } from '@temporalio/workflow';
import type { ReportActivities } from '../activities.ts';

const { countUrls, countCharges, sendReport } = proxyActivities<ReportActivities>({
  startToCloseTimeout: '10 seconds',
});

/** Step 3, when no execution of version 2 is open: nothing of the patch is left. */
export async function weeklyReport(): Promise<string> {
  const urls = await countUrls();
  const charges = await countCharges();
  await sleep('1 second', { summary: 'Until Monday' });
  return sendReport(urls, charges);
}
