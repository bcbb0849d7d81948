import { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { getUrlHistory, type Purchase, type UrlHistory } from '../../ledger/reports/url-history.ts';
import type { Url } from '../../url/normalize-url.ts';
import { normalizeUrl } from '../../url/normalize-url.ts';
import { action } from '../output/command.ts';
import { formatInstant } from '../output/times.ts';
import { withLedger } from '../with-ledger.ts';

export function ledgerCommand(): Command {
  return new Command('ledger').description('what the ledger knows').addCommand(
    new Command('show')
      .description('the whole story of a URL: where it was found, every purchase, every index-check')
      .argument('<url>')
      .action(
        action((output, flags, loc: string) =>
          withLedger(flags, async ({ ledger }) => {
            const url = parseUrlArgument(loc);
            const stories = await getUrlHistory(ledger, url);
            for (const story of stories) {
              output.record({ type: 'url', ...story });
              output.print(formatHistory(story));
            }
            if (stories.length === 0)
              output.print(`The ledger has never seen ${url}. It was not submitted and nothing was charged for it.`);
            return { exitCode: EXIT.done, summary: { url, watches: stories.length } };
          }),
        ),
      ),
  );
}

/** The URL as the ledger knows it. */
export function parseUrlArgument(loc: string): Url {
  const normal = normalizeUrl(loc);
  if (normal.ok) return normal.url;
  throw new CommandError(
    EXIT.usage,
    `"${loc}" is not a URL that can be submitted (${normal.reason}). Nothing was changed. Give it whole: https://…`,
  );
}

export function formatHistory(story: UrlHistory): string {
  const lines = [
    `${story.url}  (${story.watch})`,
    `  ${story.state}${story.reason === null ? '' : `: ${story.reason}`}`,
    `  found by ${story.firstRun.run} on ${formatInstant(story.firstRun.at)} in ${story.sitemap}`,
    ...(story.lastmod === null ? [] : [`  lastmod ${story.lastmod}`]),
    ...(story.goneRun === null ? [] : [`  in no sitemap any more since ${story.goneRun}`]),
    ...(story.due === null
      ? []
      : [`  to be bought: ${story.due}${story.dueAt === null ? '' : `, not before ${formatInstant(story.dueAt)}`}`]),
    ...story.purchases.map(purchaseText),
    ...story.checks.map(
      ({ at, result, state }) => `  index-check ${at === null ? '' : `${formatInstant(at)} `}${result ?? state}`,
    ),
    ...(story.nextCheckAt === null ? [] : [`  next index-check ${formatInstant(story.nextCheckAt)}`]),
  ];
  return lines.join('\n');
}

function purchaseText(purchase: Purchase): string {
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
