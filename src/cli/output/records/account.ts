import {
  type CommandOutput,
  count,
  flag,
  instant,
  micros,
  nullable,
  oneOf,
  text,
} from '../../../cli-kit/record-schema.ts';
import { named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import type { Account } from '../../../config/config.ts';
import type { Spending } from '../../../ledger/reports/spending.ts';
import type { WatchId } from '../../../submission/ids.ts';

export const toMovedRecord = recordOf<Pick<Account, 'id' | 'baseUrl'>>()({
  type: named('moved', 'An account whose service has a new address or id.'),
  account: [text('name of the account'), ({ id }) => id],
  base_url: text('address of its service from now on'),
});

export const toResumedRecord = plainRecord({
  type: named('resumed', 'An account that sends again after the service refused every batch.'),
  account: text('name of the account'),
  stopped: flag('false: it was not stopped'),
  how: oneOf(['send', 'release'], 'send: its batches are sent as they are; release: their URLs are due again'),
  batches: count('batches waiting to be sent, or taken back'),
});

/** What was charged in a period: to a watch, or to all watches of an account. */
export interface SpendLine extends Omit<Spending, 'watch'> {
  readonly watch: WatchId | null;
}

export const toSpendRecord = recordOf<SpendLine>()({
  type: named('spend', 'What was charged, by watch, day or month.'),
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

export const ACCOUNT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'accounts resume': { records: [toResumedRecord.schema], summary: { account: text('name of the account') } },
  'accounts move': { records: [toMovedRecord.schema], summary: { account: text('name of the account') } },
  spend: {
    records: [toSpendRecord.schema],
    summary: {
      from: instant('start of the first period'),
      total_micros: micros('everything listed'),
    },
  },
};
