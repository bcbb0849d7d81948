import { Type } from '../../json-schema/type.ts';
import { NOTICE_KINDS } from '../notice-kinds.ts';
import { Count, closed, Duration, PATTERN, secretOf } from './values.ts';

/** Many services put a token in the address: then it belongs into a secret. */
export const Address = (description: string) =>
  Type.Union(
    [Type.String({ pattern: PATTERN.address }), secretOf('COURIER_HOOK_URL', '/run/secrets/courier-hook-url')],
    {
      description,
      examples: ['https://hooks.example/courier', { env: 'COURIER_HOOK_URL' }],
    },
  );

const Channel = Type.Object(
  {
    webhook: Type.Optional(
      Type.Object(
        {
          url: Address('Where messages are posted.'),
          secret: Type.Optional(
            secretOf('COURIER_HOOK_SECRET', '/run/secrets/courier-hook', 'What signs the messages. '),
          ),
        },
        {
          ...closed,
          description:
            'JSON with a signature: HMAC-SHA-256 with `secret` over "TIMESTAMP.BODY", in X-Courier-Signature.',
        },
      ),
    ),
    slack: Type.Optional(
      Type.Object({ url: Address('An incoming webhook of Slack.') }, { ...closed, description: 'A channel of Slack.' }),
    ),
    teams: Type.Optional(
      Type.Object(
        { url: Address('A webhook of a Teams workflow ("Post to a channel when a webhook request is received").') },
        { ...closed, description: 'A channel of Microsoft Teams.' },
      ),
    ),
    email: Type.Optional(
      Type.Object(
        {
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
        },
        {
          ...closed,
          description: 'Plain e-mail.',
        },
      ),
    ),
  },
  { ...closed, description: 'One of webhook, slack, teams or email.' },
);

export const Notify = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^\\x00-\\x1f]+$',
        description: 'Name of this installation. Default: that of the host.',
        examples: ['web-1'],
      }),
    ),
    channels: Type.Optional(
      Type.Record(Type.String({ pattern: PATTERN.name }), Channel, {
        ...closed,
        description: 'Where messages go, by names that you choose.',
      }),
    ),
    events: Type.Optional(
      Type.Array(Type.Enum([...NOTICE_KINDS]), {
        minItems: 1,
        description: 'What messages are sent for. Default: all of them.',
        examples: [['key_rejected', 'run_failing']],
      }),
    ),
    failed_runs: Type.Optional(
      Count('Report a watch after so many incomplete or abandoned runs in a row.', {
        default: 2,
        examples: [3],
      }),
    ),
    no_success_after: Type.Optional(
      Duration({
        description: 'Report a scheduled watch without a complete run for this long.',
        default: '2d',
        examples: ['8d'],
      }),
    ),
    balance_days: Type.Optional(
      Count('Report an account whose balance lasts for fewer days, at the rate of the last seven.', {
        default: 7,
        examples: [14],
      }),
    ),
    digest: Type.Optional(
      Type.Object(
        {
          cron: Type.String({
            minLength: 1,
            description: 'Five fields: minute, hour, day of the month, month, day of the week.',
            examples: ['0 8 * * *'],
          }),
          timezone: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'IANA time zone.',
              default: 'UTC',
              examples: ['Europe/Istanbul'],
            }),
          ),
        },
        { ...closed, description: 'When a summary of 24 hours is sent. Absent: never.' },
      ),
    ),
    ping: Type.Optional(
      Address('Dead-man switch: requested with GET every five minutes while the worker can read its ledger.'),
    ),
  },
  { ...closed, description: 'Messages to people, on transitions only.' },
);
