import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  instant,
  micros,
  nullable,
  text,
  toInstant,
} from '../../../cli-kit/record-schema.ts';
import type { Spending } from '../../../ledger/reports/spending.ts';
import type { WatchId } from '../../../submission/ids.ts';

/** What was charged in a period: to a watch, or to all watches of an account. */
export interface SpendLine extends Omit<Spending, 'watch'> {
  readonly watch: WatchId | null;
}

const SpendRecord = defineRecord('spend', 'What was charged, by watch, day or month.', {
  account: text('name of the account'),
  watch: nullable(text('name of the watch; null in sums over the watches of the account')),
  from: instant('start of the period, in UTC'),
  urls: count('URLs submitted'),
  submissions_micros: micros('charge of the submissions in micro-lira'),
  checked_urls: count('URLs checked in the index'),
  checks_micros: micros('charge of the index checks in micro-lira'),
  total_micros: micros('both together in micro-lira'),
  unknown_charge_urls: count('accepted URLs whose charge the service has not reported; not in the sums'),
});

export const toSpendRecord = (line: SpendLine): Static<typeof SpendRecord> => ({
  type: 'spend',
  account: line.account,
  watch: line.watch,
  from: toInstant(line.from),
  urls: line.urls,
  submissions_micros: line.submissions,
  checked_urls: line.checkedUrls,
  checks_micros: line.checks,
  total_micros: line.submissions + line.checks,
  unknown_charge_urls: line.unknownChargeUrls,
});

export const SPEND_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  spend: {
    records: [SpendRecord],
    summary: {
      from: instant('start of the first period, in UTC'),
      total_micros: micros('everything listed, in micro-lira'),
    },
  },
};
