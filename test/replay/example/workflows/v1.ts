import { proxyActivities, sleep } from '@temporalio/workflow';
import type { ReportActivities } from '../activities.ts';

const { countUrls, sendReport } = proxyActivities<ReportActivities>({ startToCloseTimeout: '10 seconds' });

/** Version 1: counts, waits, sends. */
export async function weeklyReport(): Promise<string> {
  const urls = await countUrls();
  await sleep('1 second', { summary: 'Until Monday' });
  return sendReport(urls);
}
