import { type CommandOutput, count, instant, micros, nullable, text } from '../../../cli-kit/record-schema.ts';
import { recordOf } from '../../../cli-kit/record-table.ts';
import type { Spending } from '../../../ledger/reports/spending.ts';
import type { WatchId } from '../../../submission/ids.ts';

/** What was charged in a period: to a watch, or to all watches of an account. */
export interface SpendLine extends Omit<Spending, 'watch'> {
  readonly watch: WatchId | null;
}

export const toSpendRecord = recordOf<SpendLine>()('spend', 'What was charged, by watch, day or month.', {
  account: text('name of the account'),
  watch: nullable(text('null in sums over all watches')),
  from: instant('start of the period'),
  urls: count('URLs submitted'),
  submissions_micros: micros('charge of submissions'),
  checked_urls: count('URLs checked in the index'),
  checks_micros: micros('charge of index checks'),
  total_micros: [micros('both together'), ({ submissions, checks }) => submissions + checks],
  unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
});

export const SPEND_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  spend: {
    records: [toSpendRecord.schema],
    summary: {
      from: instant('start of the first period'),
      total_micros: micros('everything listed'),
    },
  },
};
