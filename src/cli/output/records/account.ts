import { type CommandOutput, count, flag, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import type { Account } from '../../../config/config.ts';

export const toMovedRecord = recordOf<Pick<Account, 'id' | 'baseUrl'>>()(
  'moved',
  'An account whose service has a new address or id.',
  {
    account: [text('name of the account'), ({ id }) => id],
    base_url: text('address of its service from now on'),
  },
);

export const toResumedRecord = plainRecord(
  'resumed',
  'An account that sends again after the service refused every batch.',
  {
    account: text('name of the account'),
    stopped: flag('false: it was not stopped'),
    how: oneOf(['send', 'release'], 'send: its batches are sent as they are; release: their URLs are due again'),
    batches: count('batches waiting to be sent, or taken back'),
  },
);

export const ACCOUNT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'accounts resume': { records: [toResumedRecord.schema], summary: { account: text('name of the account') } },
  'accounts move': { records: [toMovedRecord.schema], summary: { account: text('name of the account') } },
};
