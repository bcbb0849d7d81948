import type { Static } from 'typebox';
import { type CommandOutput, defineRecord, text } from '../../../cli-kit/record-schema.ts';

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

export const ACCOUNT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'accounts move': { records: [MovedRecord], summary: { account: text('name of the account') } },
};
