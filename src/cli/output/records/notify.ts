import { type CommandOutput, count, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { plainRecord } from '../../../cli-kit/record-table.ts';

export const toTestMessageRecord = plainRecord('test_message', 'A test message, and whether its channel took it.', {
  channel: text('name of the channel'),
  form: oneOf(['webhook', 'slack', 'teams', 'email'], 'form'),
  failure: nullable(text('why it was not delivered; null: delivered')),
});

export const NOTIFY_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'notify test': {
    records: [toTestMessageRecord.schema],
    summary: { sent: count('messages delivered'), failed: count('messages not delivered') },
  },
};
