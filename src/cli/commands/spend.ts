import { type Command, Option } from 'commander';
import { formatTry, type Micros, micros, sumMicros } from '../../../contract/money.ts';
import { toInstant } from '../../cli-kit/record-schema.ts';
import { getMonthStart } from '../../ledger/journal/days.ts';
import { listSpending, type Spending } from '../../ledger/reports/spending.ts';
import { formatCount, formatCounted } from '../output/format.ts';
import { type SpendLine, toSpendRecord } from '../output/records/account.ts';
import { ledgerAction } from '../with-ledger.ts';

const GROUPS = ['watch', 'day', 'month'] as const;
type Group = (typeof GROUPS)[number];

const DAYS = 31;

export function spendCommand(command: Command): void {
  command
    .argument('[watch...]', 'only these watches, each in a line of its own (default: all)')
    .addOption(
      new Option('--by <group>', 'watch: this month of every watch; day: the last 31 days; month: every month')
        .choices(GROUPS)
        .default('watch'),
    )
    .action(
      ledgerAction(async (output, { ledger }, names: string[], { by }: { by: Group }) => {
        const now = ledger.now();
        const since = getStart(by, now);
        const found = await listSpending(ledger, by === 'day' ? 'day' : 'month', since);
        const chosen = names.length === 0 ? found : found.filter(({ watch }) => names.includes(watch));
        const lines = by === 'watch' || names.length > 0 ? chosen : sumByAccount(chosen);
        for (const line of lines) output.record(toSpendRecord(line));
        const total = sumMicros(...lines.map(({ submissions, checks }) => sumMicros(submissions, checks)));
        for (const line of lines) output.print(formatSpend(line, by));
        output.print(
          lines.length === 0
            ? `Nothing was charged ${describeStart(by, since)}.`
            : `${formatTry(total)} charged ${describeStart(by, since)}. Days and months are in UTC.`,
        );
        return { summary: { from: toInstant(since), total_micros: total } };
      }),
    );
}

function getStart(by: Group, now: number): number {
  if (by === 'month') return 0;
  return by === 'watch' ? getMonthStart(now) : Math.floor(now / 86_400_000) * 86_400_000 - (DAYS - 1) * 86_400_000;
}

const describeStart = (by: Group, since: number): string =>
  by === 'month' ? 'in all' : `since ${toInstant(since).slice(0, 10)}`;

/** One line for each account and period. */
function sumByAccount(lines: readonly Spending[]): SpendLine[] {
  const sums = new Map<string, SpendLine>();
  for (const line of lines) {
    const key = JSON.stringify([line.from, line.account]);
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? { ...line, watch: null } : add(sum, line));
  }
  return [...sums.values()];
}

const plus = (a: Micros, b: Micros): Micros => micros(a + b);

const add = (sum: SpendLine, line: Spending): SpendLine => ({
  ...sum,
  urls: sum.urls + line.urls,
  submissions: plus(sum.submissions, line.submissions),
  checkedUrls: sum.checkedUrls + line.checkedUrls,
  checks: plus(sum.checks, line.checks),
  unknownChargeUrls: sum.unknownChargeUrls + line.unknownChargeUrls,
});

function formatSpend(line: SpendLine, by: Group): string {
  const { account, watch, from, urls, submissions, checkedUrls, checks, unknownChargeUrls } = line;
  const period = toInstant(from).slice(0, by === 'day' ? 10 : 7);
  const parts = [
    `${formatCounted(urls, 'URL')} ${formatTry(submissions)}`,
    ...(checkedUrls === 0 ? [] : [`${formatCounted(checkedUrls, 'index check')} ${formatTry(checks)}`]),
    ...(unknownChargeUrls === 0 ? [] : [`charge unknown for ${formatCount(unknownChargeUrls)} of them`]),
  ];
  return `${period}  ${watch ?? account}  ${formatTry(plus(submissions, checks))}  (${parts.join(', ')})`;
}
