import type { Static } from 'typebox';
import { type CommandOutput, count, defineRecord, flag, oneOf, text } from '../../../cli-kit/record-schema.ts';

const MovedRecord = defineRecord('moved', 'An account whose service has a new address or id.', {
  account: text('name of the account'),
  base_url: text('address of its service from now on'),
});

export const toMovedRecord = ({
  id,
  baseUrl,
}: {
  readonly id: string;
  readonly baseUrl: string;
}): Static<typeof MovedRecord> => ({ type: 'moved', account: id, base_url: baseUrl });

const ResumedRecord = defineRecord('resumed', 'An account that sends again after the service refused every batch.', {
  account: text('name of the account'),
  stopped: flag('false: it was not stopped'),
  how: oneOf(['send', 'release'], 'send: its batches are sent as they are; release: their URLs are due again'),
  batches: count('batches waiting to be sent, or taken back'),
});

export const toResumedRecord = (
  account: string,
  { stopped, release, batches }: { readonly stopped: boolean; readonly release: boolean; readonly batches: number },
): Static<typeof ResumedRecord> => ({
  type: 'resumed',
  account,
  stopped,
  how: release ? 'release' : 'send',
  batches,
});

export const ACCOUNT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'accounts resume': { records: [ResumedRecord], summary: { account: text('name of the account') } },
  'accounts move': { records: [MovedRecord], summary: { account: text('name of the account') } },
};
