import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { explainUrl, findKnownSpellings, type UrlExplanation } from '../../connector/explain-url.ts';
import type { Purchase, UrlHistory } from '../../ledger/reports/url-history.ts';
import { formatInstantIn } from '../../submission/instant.ts';
import { formatVersion } from '../../url/version.ts';
import { toSimilarUrlRecord, toUrlExplanationRecord } from '../output/records/url-history.ts';
import { parseUrlArgument } from '../url-argument.ts';
import { ledgerAction } from '../with-ledger.ts';

export function whyCommand(command: Command): void {
  command.argument('<url>', 'the whole URL').action(
    ledgerAction(async (output, { config, ledger }, loc: string) => {
      const url = parseUrlArgument(loc);
      const explained = await explainUrl({ config, ledger }, url);
      output.print(url);
      for (const each of explained) {
        output.record(toUrlExplanationRecord({ url, ...each }));
        output.print(formatExplanation(each));
      }
      const seen = explained.filter(({ history }) => history !== null).length;
      if (seen === 0) {
        for (const spelling of await findKnownSpellings(ledger, url)) {
          output.record(toSimilarUrlRecord(spelling));
          output.print(`  another spelling is known: ${spelling.url} (${spelling.watch}, ${spelling.state})`);
        }
      }
      return { summary: { url, seen } };
    }),
  );
}

function formatExplanation({ watch, why, next, nextAt, scope, history, zone }: UrlExplanation): string {
  const at = (instant: number) => formatInstantIn(zone, instant);
  return [
    `${watch}: ${why}`,
    `  next    ${next}${nextAt === null ? '' : ` (${at(nextAt)})`}`,
    ...(scope === null ? [] : [`  scope   ${scope.inScope ? 'in' : 'out'}: ${scope.rule}`]),
    ...(history === null ? [] : [formatSeen(history, at)]),
    ...(history?.purchases ?? []).map((purchase) => formatPurchase(purchase, at)),
    ...(history?.checks ?? []).map(
      ({ at: checked, result, state }) =>
        `  check   ${checked === null ? state : `${at(checked)}: ${result ?? state}`}`,
    ),
  ].join('\n');
}

function formatSeen(
  { firstRun, sitemap, sitemapReadAt, goneRun, forgottenAt, version }: UrlHistory,
  at: (instant: number) => string,
) {
  if (firstRun === null) return '  seen    never in a sitemap: "courier recover" found it in a job';
  const last = describeLast();
  return `  seen    first on ${at(firstRun.at)} in ${sitemap}${version === null ? '' : `, lastmod ${formatVersion(version)}`}${last}`;

  function describeLast(): string {
    if (forgottenAt !== null) return `; the ledger forgot its address on ${at(forgottenAt)}`;
    if (goneRun !== null) return `; in no sitemap since ${goneRun}`;
    return sitemapReadAt === null ? '' : `; the sitemap was read last on ${at(sitemapReadAt)}`;
  }
}

function formatPurchase(purchase: Purchase, at: (instant: number) => string): string {
  const { generation, batch, batchState, reference, plannedAt, acceptedAt, charge, result, resultReason } = purchase;
  const parts = [
    reference === null ? `batch ${batch}` : `job ${reference} (batch ${batch})`,
    batchState.replace('_', ' '),
    acceptedAt === null ? `planned ${at(plannedAt)}` : at(acceptedAt),
    ...(charge === null ? [] : [formatTry(charge)]),
    ...(result === null ? [] : [resultReason === null ? result : `${result}: ${resultReason}`]),
  ];
  return `  bought  ${generation === 1 ? '' : `generation ${generation}: `}${parts.join(', ')}`;
}
