import type { Config, ReportSettings } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Logger } from '../observability/log.ts';
import { collectReport } from '../report/collect.ts';
import { keepReport } from '../report/report-file.ts';

const DAY = 86_400_000;

/** Writes the report of today into the configured folder. */
export async function writeScheduledReport(
  ledger: Ledger,
  config: Config,
  { folder, days, keep, language }: ReportSettings,
  log: Logger,
): Promise<void> {
  const since = ledger.now() - (days - 1) * DAY;
  const report = await collectReport(ledger, config, { watches: [], accounts: [], since });
  // The plotting library is loaded when it draws: other workers need not hold it in memory.
  const { renderPage } = await import('../report/page.ts');
  const file = keepReport(folder, renderPage(report, language), { at: report.madeAt, keep });
  log.info({ file }, `the report was written to ${file}`);
}
