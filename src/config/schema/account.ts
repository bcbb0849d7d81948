import Type from 'typebox';
import { Count, closed, Duration, Money, Secret } from './values.ts';

const pollSettings = (level: string, first: string, min: string, max: string, timeout: string) =>
  Type.Object(
    {
      first: Type.Optional(
        Duration({ description: 'From acceptance to the first poll.', default: first, examples: [first] }),
      ),
      min: Type.Optional(Duration({ description: 'Wait after the first poll.', default: min, examples: [min] })),
      max: Type.Optional(Duration({ description: 'Longest wait between two polls.', default: max, examples: [max] })),
      growth: Type.Optional(
        Type.Number({
          minimum: 1,
          maximum: 10,
          description: 'Factor from one wait to the next.',
          default: 1.5,
          examples: [1.5],
        }),
      ),
      timeout: Type.Optional(
        Duration({
          description:
            'A job still open this long after its acceptance is overdue: its tracker fails with what to do. Its URLs ' +
            'stay bought.',
          default: timeout,
          examples: [timeout],
        }),
      ),
    },
    { ...closed, description: `Jobs of service level ${level}.` },
  );

const StatusList = (meaning: string, example: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
      minItems: 1,
      description: `Status names that mean: ${meaning}.`,
      examples: [[example]],
    }),
  );

const StatusMapSchema = Type.Object(
  {
    job: Type.Optional(
      Type.Object(
        {
          queued: StatusList('accepted and not started', 'received'),
          processing: StatusList('in progress', 'in review'),
          completed: StatusList('ended, all URLs done', 'delivered'),
          partial: StatusList('ended, some URLs failed', 'delivered in part'),
          failed: StatusList('ended, all URLs failed', 'rejected'),
        },
        { ...closed, description: 'States of a job.' },
      ),
    ),
    url: Type.Optional(
      Type.Object(
        {
          completed: StatusList('done', 'added'),
          failed: StatusList('failed; the URL may be bought again, see retry_failed', 'blocked'),
          open: StatusList('not decided yet', 'pending'),
        },
        { ...closed, description: 'States of one URL of a job.' },
      ),
    ),
    check: Type.Optional(
      Type.Object(
        {
          found: StatusList('in the index', 'listed'),
          not_found: StatusList('not in the index', 'unlisted'),
          unknown: StatusList('neither', 'undetermined'),
        },
        { ...closed, description: 'Verdicts of an index-check.' },
      ),
    ),
  },
  {
    ...closed,
    description:
      'Maps status names of your service that the connector does not know, in any letter case, to those of the ' +
      'specification. Your entries win over the built-in ones. An unmapped status counts as open, never as failed, and ' +
      'is logged.',
  },
);

const price = (level: string, example: string) =>
  Type.Optional(Money({ description: `Price of a URL at service level ${level}.`, examples: [example] }));

export const Account = Type.Object(
  {
    base_url: Type.String({
      pattern: '^https?://[^@\\s]+$',
      description: 'Address of the service, with its version. It holds no user name and no password.',
      examples: ['https://indexing.example/api/v1'],
    }),
    api_key: Secret,
    authentication: Type.Optional(
      Type.Enum(['bearer', 'x-api-key'], {
        description:
          'Header that carries the key: Authorization: Bearer, or X-API-Key where a proxy in front of the service needs ' +
          'Authorization for itself.',
        default: 'bearer',
      }),
    ),
    price_per_url: Type.Optional(
      Type.Union(
        [
          Money({ description: 'One price for both service levels.' }),
          Type.Object({ standard: price('standard', '0.25 TRY'), fast: price('fast', '0.50 TRY') }, closed),
        ],
        {
          description:
            'Price of a URL: one amount, or one for each service level. Absent: what the service shows or charges. Of a ' +
            'configured and a learned price the higher one counts.',
          examples: ['0.25 TRY', { standard: '0.25 TRY', fast: '0.50 TRY' }],
        },
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          requests: Type.Optional(
            Type.Object(
              {
                minute: Type.Optional(Count('Requests a minute.', { default: 120, examples: [60] })),
                hour: Type.Optional(Count('Requests an hour.', { default: 3_000, examples: [1_500] })),
                day: Type.Optional(Count('Requests a day.', { default: 30_000, examples: [15_000] })),
              },
              { ...closed, description: 'All requests of the key.' },
            ),
          ),
          submissions: Type.Optional(
            Type.Object(
              { minute: Type.Optional(Count('POST /submissions a minute.', { default: 10, examples: [5] })) },
              { ...closed, description: 'Submissions, inside the limits of all requests.' },
            ),
          ),
          minute_length: Type.Optional(
            Duration({
              description: 'For a test service whose minute, and with it hour and day, is shorter than the real one.',
              default: '1m',
              examples: ['2s'],
            }),
          ),
        },
        {
          ...closed,
          description: 'Rate limits of the API key, shared by all workers. Lower them when others use the key too.',
        },
      ),
    ),
    spend: Type.Optional(
      Type.Object(
        {
          per_day: Type.Optional(
            Money({ description: 'Most that the account spends a day (UTC). Absent: no cap.', examples: ['500 TRY'] }),
          ),
          per_month: Type.Optional(
            Money({
              description: 'Most that the account spends a month (UTC). Absent: no cap.',
              examples: ['5000 TRY'],
            }),
          ),
          balance_floor: Type.Optional(
            Money({ description: 'Balance below which nothing is bought.', default: '0 TRY', examples: ['100 TRY'] }),
          ),
        },
        { ...closed, description: 'Caps. What a plan would spend beyond them is held, never sent.' },
      ),
    ),
    tracking: Type.Optional(
      Type.Object(
        {
          fast: Type.Optional(pollSettings('fast', '5m', '10s', '5m', '1d')),
          standard: Type.Optional(pollSettings('standard', '3h', '10m', '1h', '8d')),
        },
        { ...closed, description: 'When to poll a job, by service level.' },
      ),
    ),
    timeouts: Type.Optional(
      Type.Object(
        {
          connect: Type.Optional(Duration({ description: 'To connect.', default: '10s', examples: ['5s'] })),
          answer: Type.Optional(
            Duration({ description: 'Until a response begins.', default: '60s', examples: ['30s'] }),
          ),
          total: Type.Optional(Duration({ description: 'The whole request.', default: '90s', examples: ['60s'] })),
        },
        {
          ...closed,
          description:
            'How long a request may take. A short timeout is slow, not dangerous: a request without a response is sent ' +
            'again with the same bytes and key.',
        },
      ),
    ),
    terminal_states: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Job states that end a job, as the service or as the specification names them.',
        default: ['completed', 'partial', 'failed'],
        examples: [['completed', 'partial', 'failed', 'cancelled']],
      }),
    ),
    status_map: Type.Optional(StatusMapSchema),
    reconcile: Type.Optional(
      Type.Object(
        {
          after: Type.Optional(
            Duration({
              description:
                'A submission without a response is sent again with the same key until it is this old; then it is ' +
                'looked up in the list first. Set it shorter than your service keeps idempotency keys.',
              default: '20h',
              examples: ['10h'],
            }),
          ),
          confirm_after: Type.Optional(
            Duration({
              description: 'A list that does not show the job is read again after this, before that is believed.',
              default: '30s',
              examples: ['2m'],
            }),
          ),
        },
        { ...closed, description: 'What happens to a batch in doubt.' },
      ),
    ),
  },
  closed,
);
