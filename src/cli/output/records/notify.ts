import { type CommandOutput, count, defineRecord, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import type { Channel } from '../../../config/notify.ts';

const TestMessageRecord = defineRecord('test_message', 'A test message, and whether its channel took it.', {
  channel: text('name of the channel'),
  form: oneOf(['webhook', 'slack', 'teams', 'email'], 'form'),
  failure: nullable(text('why it was not delivered; null: delivered')),
});

export const toTestMessageRecord = (channel: string, form: Channel['kind'], failure: string | null) => ({
  type: 'test_message' as const,
  channel,
  form,
  failure,
});

export const NOTIFY_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'notify test': {
    records: [TestMessageRecord],
    summary: { sent: count('messages delivered'), failed: count('messages not delivered') },
  },
};
