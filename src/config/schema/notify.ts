import { Type } from '../../json-schema/type.ts';
import { NOTICE_KINDS } from '../notice-kinds.ts';
import {
  Count,
  Cron,
  closed,
  Duration,
  group,
  optional,
  PATTERN,
  secretOf,
  section,
  Text,
  Timezone,
} from './values.ts';

/** Many services put a token in the address: then it belongs into a secret. */
export const Address = (description: string) =>
  Type.Union(
    [Type.String({ pattern: PATTERN.address }), secretOf('COURIER_HOOK_URL', '/run/secrets/courier-hook-url')],
    { description, examples: ['https://hooks.example/courier', { env: 'COURIER_HOOK_URL' }] },
  );

const Channel = group('One of webhook, slack, teams or email.', {
  webhook: section('JSON with a signature: HMAC-SHA-256 with `secret` over "TIMESTAMP.BODY", in X-Courier-Signature.', {
    url: Address('Where messages are posted.'),
    ...optional({
      secret: secretOf('COURIER_HOOK_SECRET', '/run/secrets/courier-hook', 'What signs the messages. '),
    }),
  }),
  slack: section('A channel of Slack.', { url: Address('An incoming webhook of Slack.') }),
  teams: section('A channel of Microsoft Teams.', {
    url: Address('A webhook of a Teams workflow ("Post to a channel when a webhook request is received").'),
  }),
  email: section('Plain e-mail.', {
    server: secretOf(
      'COURIER_SMTP_URL',
      '/run/secrets/courier-smtp',
      'The SMTP server, such as smtps://user:password@smtp.example:465. ',
    ),
    from: Type.String({ minLength: 3, description: 'Sender.', examples: ['courier@shop.example'] }),
    to: Type.Array(Type.String({ minLength: 3 }), {
      minItems: 1,
      description: 'Recipients.',
      examples: [['ops@shop.example']],
    }),
  }),
});

export const Notify = group('Messages to people, on transitions only.', {
  name: Text('Name of this installation. Default: that of the host.', {
    maxLength: 100,
    pattern: '^[^\\x00-\\x1f]+$',
    examples: ['web-1'],
  }),
  channels: Type.Record(Type.String({ pattern: PATTERN.name }), Channel, {
    ...closed,
    description: 'Where messages go, by names that you choose.',
  }),
  events: Type.Array(Type.Enum([...NOTICE_KINDS]), {
    minItems: 1,
    description: 'What messages are sent for. Default: all of them.',
    examples: [['key_rejected', 'run_failing']],
  }),
  failed_runs: Count('Report a watch after so many incomplete or abandoned runs in a row.', {
    default: 2,
    examples: [3],
  }),
  no_success_after: Duration('Report a scheduled watch without a complete run for this long.', {
    default: '2d',
    examples: ['8d'],
  }),
  balance_days: Count('Report an account whose balance lasts for fewer days, at the rate of the last seven.', {
    default: 7,
    examples: [14],
  }),
  digest: section('When a summary of 24 hours is sent. Absent: never.', {
    cron: Cron({ examples: ['0 8 * * *'] }),
    ...optional({ timezone: Timezone() }),
  }),
  ping: Address('Dead-man switch: requested with GET every five minutes while the worker can read its ledger.'),
});
