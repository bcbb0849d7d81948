import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { type AccountForecast, forecastRuns, type RunForecast } from '../../connector/forecast.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { action } from '../output/command.ts';
import { formatAmount, formatCount, formatCounted, NOT_KNOWN } from '../output/format.ts';
import { toAccountForecastRecord, toRunForecastRecord } from '../output/records/tonight.ts';
import { readSchedules } from '../schedules.ts';
import { withLedger } from '../with-ledger.ts';

export function tonightCommand(command: Command): void {
  command.action(
    action((output, flags) =>
      withLedger(flags, async (context) => {
        const { config, ledger } = context;
        const schedules = await readSchedules(context, { ...output, say: () => undefined });
        const isPaused = (watch: string) => schedules.get(watch)?.paused ?? false;
        const { runs, accounts } = await forecastRuns({ config, ledger, isPaused });
        for (const run of runs) {
          output.record(toRunForecastRecord(run));
          output.print(formatRun(run));
        }
        for (const account of accounts) {
          output.record(toAccountForecastRecord(account));
          output.print(formatAccount(account));
        }
        const ahead = runs.filter(({ at }) => at !== null).length;
        output.print(
          'Estimates from the ledger: what is due, and what the last runs found. "courier plan" crawls and knows.',
        );
        return { exitCode: EXIT.done, summary: { runs: ahead } };
      }),
    ),
  );
}

const NO_RUN = {
  paused: 'paused',
  no_schedule: 'no schedule; "courier run" starts it',
  later: 'no run within a day',
} as const;

function formatRun(run: RunForecast): string {
  const { watch, zone, at, noRun, runs, due, usual, urls, cost, allowed, limit, held, checks, checksCost } = run;
  const when = at === null ? NO_RUN[noRun ?? 'later'] : formatInstantIn(zone, at);
  const often = runs > 1 ? `, then ${formatCounted(runs - 1, 'more run')} within a day` : '';
  const found =
    usual === null ? 'what it finds new is not known yet' : `about ${formatCount(usual)} usually found new or changed`;
  return [
    `${watch}: ${when}${often}`,
    ...(held === null ? [] : [`  nothing before you decide: courier approve ${held}   or   courier reject ${held}`]),
    `  about ${formatCounted(urls, 'URL')}, ${formatAmount(cost)} (${formatCount(due)} due; ${found})`,
    ...(limit === null ? [] : [`  of them ${formatCount(allowed)}: ${limit}`]),
    ...(checks === 0 ? [] : [`  about ${formatCounted(checks, 'index check')}, ${formatTry(checksCost)}`]),
  ].join('\n');
}

function formatAccount({ account, urls, cost, balance, balanceAt, balanceAfter }: AccountForecast): string {
  const money =
    balance === null
      ? `balance ${NOT_KNOWN}`
      : `balance ${formatTry(balance)} (${formatInstant(balanceAt ?? 0)})${balanceAfter === null ? '' : `, ${formatTry(balanceAfter)} after it`}`;
  return `account ${account}: about ${formatCounted(urls, 'URL')}, ${formatAmount(cost)}; ${money}`;
}
