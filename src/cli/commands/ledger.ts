import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { getUrlHistory, type Purchase, type UrlHistory } from '../../ledger/reports/url-history.ts';
import { formatInstant } from '../../submission/instant.ts';
import { action } from '../output/command.ts';
import { toUrlHistoryRecord } from '../output/records/url-history.ts';
import { parseUrlArgument } from '../url-argument.ts';
import { withLedger } from '../with-ledger.ts';
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
      action((output, flags, loc: string) =>
        withLedger(flags, async ({ ledger }) => {
          const url = parseUrlArgument(loc);
          const histories = await getUrlHistory(ledger, url);
          for (const history of histories) {
            output.record(toUrlHistoryRecord(history));
            output.print(formatHistory(history));
          }
          if (histories.length === 0)
            output.print(`The ledger does not know ${url}: it was not submitted and nothing was charged for it.`);
          return { exitCode: EXIT.done, summary: { url, watches: histories.length } };
        }),
      ),
    );
}

function formatHistory(history: UrlHistory): string {
  const lines = [
    `${history.url}  (${history.watch})`,
    `  ${history.state}${history.reason === null ? '' : `: ${history.reason}`}`,
    formatFirstRun(history),
    ...(history.lastmod === null ? [] : [`  lastmod ${history.lastmod}`]),
    ...(history.forgottenAt === null ? [] : [`  its address was forgotten on ${formatInstant(history.forgottenAt)}`]),
    ...(history.goneRun === null ? [] : [`  in no sitemap since ${history.goneRun}`]),
    ...(history.due === null
      ? []
      : [`  due: ${history.due}${history.dueAt === null ? '' : `, not before ${formatInstant(history.dueAt)}`}`]),
    ...history.purchases.map(formatPurchase),
    ...history.checks.map(
      ({ at, result, state }) => `  index check ${at === null ? '' : `${formatInstant(at)} `}${result ?? state}`,
    ),
    ...(history.nextCheckAt === null ? [] : [`  next index check ${formatInstant(history.nextCheckAt)}`]),
  ];
  return lines.join('\n');
}

function formatFirstRun({ firstRun, sitemap }: UrlHistory): string {
  return `  found by ${firstRun.run} on ${formatInstant(firstRun.at)} in ${sitemap}`;
}

function formatPurchase(purchase: Purchase): string {
  const { generation, reference, charge, batch, batchState, result, resultReason, requestIds } = purchase;
  const parts = [
    reference ?? `batch ${batch}`,
    batchState,
    ...(charge === null ? [] : [formatTry(charge)]),
    ...(result === null ? [] : [result]),
    ...(resultReason === null ? [] : [resultReason]),
    ...(requestIds.length === 0 ? [] : [`request ${requestIds.join(', ')}`]),
  ];
  return `  purchase ${generation} on ${formatInstant(purchase.plannedAt)}: ${parts.join(', ')}`;
}
