import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import { findNextCheck } from '../../connector/next-check.ts';
import { getUrlHistory, type Purchase, type UrlHistory } from '../../ledger/reports/url-history.ts';
import { formatInstantIn } from '../../submission/instant.ts';
import { formatVersion } from '../../url/version.ts';
import { toUrlHistoryRecord } from '../output/records/url-history.ts';
import { parseUrlArgument } from '../url-argument.ts';
import { ledgerAction } from '../with-ledger.ts';
import { ledgerForgetCommand } from './ledger-forget.ts';
import { ledgerPruneCommand } from './ledger-prune.ts';
import { transferCommands } from './ledger-transfer.ts';

export function ledgerCommand(command: Command): void {
  transferCommands(command);
  ledgerPruneCommand(command);
  ledgerForgetCommand(command);
  command
    .command('show')
    .description('show the history of a URL: where it was found, every purchase, every index check')
    .argument('<url>', 'the whole URL')
    .action(
      ledgerAction(async (output, { config, ledger }, loc: string) => {
        const url = parseUrlArgument(loc);
        const histories = await getUrlHistory(ledger, url);
        for (const history of histories) {
          const watch = config.watches.get(history.watch);
          const { url: page, goneRun, forgottenAt, nextCheckAt } = history;
          const gone = goneRun !== null || forgottenAt !== null;
          const next = findNextCheck(watch, { url: page, gone, nextCheckAt });
          output.record(toUrlHistoryRecord({ ...history, nextCheckAt: next.at }));
          output.print(formatHistory(history, next, (at) => formatInstantIn(getTimeZone(watch), at)));
        }
        if (histories.length === 0)
          output.print(`The ledger does not know ${url}: it was not submitted and nothing was charged for it.`);
        return { summary: { url, watches: histories.length } };
      }),
    );
}

type Format = (at: number) => string;

function formatHistory(history: UrlHistory, next: ReturnType<typeof findNextCheck>, format: Format): string {
  const lines = [
    `${history.url}  (${history.watch})`,
    `  ${history.state}${history.reason === null ? '' : `: ${history.reason}`}`,
    formatFirstRun(history, format),
    ...(history.version === null ? [] : [`  lastmod ${formatVersion(history.version)}`]),
    ...(history.forgottenAt === null ? [] : [`  its address was forgotten on ${format(history.forgottenAt)}`]),
    ...(history.goneRun === null ? [] : [`  in no sitemap since ${history.goneRun}`]),
    ...(history.due === null
      ? []
      : [`  due: ${history.due}${history.dueAt === null ? '' : `, not before ${format(history.dueAt)}`}`]),
    ...history.purchases.map((purchase) => formatPurchase(purchase, format)),
    ...history.checks.map(
      ({ at, result, state }) => `  index check ${at === null ? '' : `${format(at)} `}${result ?? state}`,
    ),
    ...(next.at === null ? [] : [`  next index check ${format(next.at)}`]),
    ...(next.why === null ? [] : [`  no further index check: ${next.why}`]),
  ];
  return lines.join('\n');
}

function formatFirstRun({ firstRun, sitemap }: UrlHistory, format: Format): string {
  if (firstRun === null) return '  never in a sitemap: "courier recover" found it in a job';
  return `  found by ${firstRun.run} on ${format(firstRun.at)} in ${sitemap}`;
}

function formatPurchase(purchase: Purchase, format: Format): string {
  const { generation, reference, charge, batch, batchState, result, resultReason, requestIds } = purchase;
  const parts = [
    reference ?? `batch ${batch}`,
    batchState,
    ...(charge === null ? [] : [formatTry(charge)]),
    ...(result === null ? [] : [result]),
    ...(resultReason === null ? [] : [resultReason]),
    ...(requestIds.length === 0 ? [] : [`request ${requestIds.join(', ')}`]),
  ];
  return `  purchase ${generation} on ${format(purchase.plannedAt)}: ${parts.join(', ')}`;
}
