import { formatTry, type Micros } from '../../../contract/money.ts';
import type { JobProgress } from '../../connector/run-client.ts';
import { chargeText } from './charge-text.ts';
import type { Stages } from './stages.ts';

/** Shows where a run is, stage by stage. */
export function runProgress(stages: Stages, watch: string, { phase, read, summary }: JobProgress): void {
  if (phase === 'crawling') stages.at('crawl', watch, Math.max(read, summary?.found ?? 0), null);
  if (summary === null || phase === 'crawling' || phase === 'comparing') return;
  stages.at('crawl', watch, summary.found, summary.found, `${summary.new} new`);
  if (summary.batches === 0) return;
  stages.at('plan', watch, summary.planned, summary.planned, costText(summary.plannedCost));
  stages.at('submit', watch, summary.submitted, summary.planned, chargeText(summary));
  stages.at('track', watch, summary.completed + summary.failed, summary.planned, `${summary.failed} failed`);
}

export const costText = (cost: Micros | null): string =>
  cost === null ? 'price not known yet' : `costs ${formatTry(cost)}`;
