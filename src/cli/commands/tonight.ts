import type { Command } from 'commander';
import { formatTry, ZERO } from '../../../contract/money.ts';
import { type AccountForecast, forecastRuns, type RunForecast } from '../../connector/forecast.ts';
import { hasServer } from '../../connector/state-folder.ts';
import type { RunId } from '../../submission/ids.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { formatPriceEffect } from '../../submission/new-price.ts';
import { formatAmount, formatCount, formatCounted, NOT_KNOWN } from '../output/format.ts';
import { toAccountForecastRecord, toRunForecastRecord } from '../output/records/plan.ts';
import { readSchedules } from '../schedules.ts';
import { ledgerAction } from '../with-ledger.ts';

export function tonightCommand(command: Command): void {
  command.action(
    ledgerAction(async (output, context) => {
      const { config, ledger } = context;
      const schedules = await readSchedules(context, { ...output, say: () => undefined });
      const once = hasServer(config, context.file) ? '' : ' --once';
      const isPaused = (watch: string) => schedules.get(watch)?.paused ?? false;
      const { runs, accounts } = await forecastRuns({ config, ledger, isPaused });
      for (const run of runs) {
        output.record(toRunForecastRecord(run));
        output.print(formatRun(run, once));
      }
      for (const account of accounts) {
        output.record(toAccountForecastRecord(account));
        output.print(formatAccount(account));
      }
      const ahead = runs.filter(({ at }) => at !== null).length;
      output.print(
        'Estimates from the ledger: what is due, and what the last runs found. "courier plan" crawls and knows.',
      );
      return { summary: { runs: ahead } };
    }),
  );
}

const NO_RUN = {
  paused: 'paused',
  no_schedule: 'no schedule; "courier run" starts it',
  later: 'no run within a day',
} as const;

/** What a held run waits for, before which the next one does not start. */
const describeWait = (run: RunId, remedy: string | null, once: string): string =>
  remedy === null
    ? `nothing before you decide: courier approve ${run}${once}   or   courier reject ${run}${once}`
    : `nothing while ${run} waits for money. ${remedy}`;

function formatRun(run: RunForecast, once: string): string {
  const { watch, zone, at, noRun, runs, due, usual, urls, cost, allowed, limit, held, remedy, checks, checksCost } =
    run;
  const when = at === null ? NO_RUN[noRun ?? 'later'] : formatInstantIn(zone, at);
  const often = runs > 1 ? `, then ${formatCounted(runs - 1, 'more run')} within a day` : '';
  const found =
    usual === null ? 'what it finds new is not known yet' : `about ${formatCount(usual)} usually found new or changed`;
  return [
    `${watch}: ${when}${often}`,
    ...(held === null ? [] : [`  ${describeWait(held, remedy, once)}`]),
    `  about ${formatCounted(urls, 'URL')}, ${formatAmount(cost)} (${formatCount(due)} due; ${found})`,
    ...(limit === null ? [] : [`  of them ${formatCount(allowed)}: ${limit}`]),
    ...(checks === 0 ? [] : [`  about ${formatCounted(checks, 'index check')}, ${formatTry(checksCost)}`]),
  ].join('\n');
}

function formatAccount(forecast: AccountForecast): string {
  const { account, urls, cost, balance, balanceAt, chargedSince, committed, balanceAfter, newPrices } = forecast;
  const since = [
    ...(chargedSince === ZERO ? [] : [`${formatTry(chargedSince)} charged since`]),
    ...(committed === ZERO ? [] : [`${formatTry(committed)} committed`]),
  ];
  const less = since.length === 0 ? '' : `, before ${since.join(' and ')}`;
  const money =
    balance === null
      ? `balance ${NOT_KNOWN}`
      : `balance ${formatTry(balance)} (${formatInstant(balanceAt ?? 0)})${less}${balanceAfter === null ? '' : `, ${formatTry(balanceAfter)} after it`}`;
  const line = `account ${account}: about ${formatCounted(urls, 'URL')}, ${formatAmount(cost)}; ${money}`;
  return [line, ...newPrices.map((price) => `  ${formatPriceEffect(price)}`)].join('\n');
}
