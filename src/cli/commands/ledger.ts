import { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { type Purchase, type UrlStory, urlStory } from '../../ledger/reports/url-history.ts';
import type { Url } from '../../url/normalize-url.ts';
import { normalizeUrl } from '../../url/normalize-url.ts';
import { withBooks } from '../books.ts';
import { action } from '../output/command.ts';
import { day } from '../output/times.ts';

export function ledgerCommand(): Command {
  return new Command('ledger').description('what the ledger knows').addCommand(
    new Command('show')
      .description('the whole story of a URL: where it was found, every purchase, every index-check')
      .argument('<url>')
      .action(
        action((output, flags, loc: string) =>
          withBooks(flags, async ({ ledger }) => {
            const url = urlNamed(loc);
            const stories = await urlStory(ledger, url);
            for (const story of stories) {
              output.record({ type: 'url', ...story });
              output.print(storyText(story));
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
export function urlNamed(loc: string): Url {
  const normal = normalizeUrl(loc);
  if (normal.ok) return normal.url;
  throw new CommandError(
    EXIT.usage,
    `"${loc}" is not a URL that can be submitted (${normal.reason}). Nothing was changed. Give it whole: https://…`,
  );
}

export function storyText(story: UrlStory): string {
  const lines = [
    `${story.url}  (${story.watch})`,
    `  ${story.state}${story.reason === null ? '' : `: ${story.reason}`}`,
    `  found by ${story.firstRun.run} on ${day(story.firstRun.at)} in ${story.sitemap}`,
    ...(story.lastmod === null ? [] : [`  lastmod ${story.lastmod}`]),
    ...(story.goneRun === null ? [] : [`  in no sitemap any more since ${story.goneRun}`]),
    ...(story.due === null
      ? []
      : [`  to be bought: ${story.due}${story.dueAt === null ? '' : `, not before ${day(story.dueAt)}`}`]),
    ...story.purchases.map(purchaseText),
    ...story.checks.map(
      ({ at, result, state }) => `  index-check ${at === null ? '' : `${day(at)} `}${result ?? state}`,
    ),
    ...(story.nextCheckAt === null ? [] : [`  next index-check ${day(story.nextCheckAt)}`]),
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
  return `  purchase ${generation} on ${day(purchase.plannedAt)}: ${parts.join(', ')}`;
}
