import { patched, proxyActivities, sleep } from '@temporalio/workflow';
import type { ReportActivities } from '../activities.ts';

const { countUrls, countCharges, sendReport } = proxyActivities<ReportActivities>({
  startToCloseTimeout: '10 seconds',
});

/** Version 2, step 1: new executions take the new branch and record that they did; old ones keep theirs. */
export async function weeklyReport(): Promise<string> {
  const urls = await countUrls();
  const charges = patched('report-charges') ? await countCharges() : undefined;
  await sleep('1 second', { summary: 'Until Monday' });
  return sendReport(urls, charges);
}
