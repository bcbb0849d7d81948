import { Type } from '../../json-schema/type.ts';
import { AMOUNT_FORMATS } from '../../submission/amount-format.ts';
import { ANSWER_FIELD_KEYS, ANSWER_FIELDS, type AnswerFieldKey } from '../../submission/answer-fields.ts';
import { Count, closed, Duration, group, Money, optional, PATTERN, Secret } from './values.ts';

const pollSettings = (level: string, first: string, min: string, max: string, timeout: string) =>
  group(`Jobs of service level ${level}.`, {
    first: Duration('Time from acceptance to the first poll.', { default: first, examples: [first] }),
    min: Duration('Time from the first poll to the second.', { default: min, examples: [min] }),
    max: Duration('Longest time between two polls.', { default: max, examples: [max] }),
    growth: Type.Number({
      minimum: 1,
      maximum: 10,
      description: 'Factor by which the time between polls grows.',
      default: 1.5,
      examples: [1.5],
    }),
    timeout: Duration(
      'A job still open this long after acceptance is overdue: its tracker fails and says what to do. Its URLs are not bought again.',
      { default: timeout, examples: [timeout] },
    ),
  });

const StatusList = (meaning: string, example: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
    minItems: 1,
    description: `Status names that mean: ${meaning}.`,
    examples: [[example]],
  });

const StatusMapSchema = group(
  'Status names of your service, in any letter case, for those of the specification. They override the built-in ones. An unmapped status counts as open, never as failed, and is logged.',
  {
    job: group('States of a job.', {
      queued: StatusList('accepted and not started', 'received'),
      processing: StatusList('in progress', 'in review'),
      completed: StatusList('ended, all URLs completed', 'delivered'),
      partial: StatusList('ended, some URLs failed', 'partially completed'),
      failed: StatusList('ended, all URLs failed', 'rejected'),
    }),
    url: group('States of one URL of a job.', {
      completed: StatusList('done', 'added'),
      failed: StatusList('failed; the URL may be bought again (see retry_failed)', 'blocked'),
      open: StatusList('not decided yet', 'pending'),
    }),
    check: group('Verdicts of an index-check.', {
      found: StatusList('in the index', 'listed'),
      not_found: StatusList('not in the index', 'unlisted'),
      unknown: StatusList('neither', 'undetermined'),
    }),
  },
);

const FieldName = (key: AnswerFieldKey) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
    minItems: 1,
    description: `Names of ${ANSWER_FIELDS[key].what}.`,
    examples: [[`my_${key}`]],
  });

const FieldNamesSchema = group(
  'What the service calls its values, where the connector knows no such name. A name with dots is a path: account.funds. Your names come before the usual ones. courier doctor --learn proposes them.',
  Object.fromEntries(ANSWER_FIELD_KEYS.map((key) => [key, FieldName(key)])) as Record<
    AnswerFieldKey,
    ReturnType<typeof FieldName>
  >,
);

const price = (level: string, example: string) =>
  Money(`Price of a URL at service level ${level}.`, { examples: [example] });

export const Account = Type.Object(
  {
    base_url: Type.String({
      pattern: PATTERN.address,
      description: 'Base URL of the service with the API version, without a user name or password.',
      examples: ['https://indexing.example/api/v1'],
    }),
    api_key: Secret,
    ...optional({
      authentication: Type.Enum(['bearer', 'x-api-key'], {
        description:
          'Header for the API key: Authorization: Bearer, or X-API-Key behind a proxy that uses Authorization itself.',
        default: 'bearer',
      }),
      price_per_url: Type.Union(
        [
          Money('One price for both service levels.'),
          Type.Object(optional({ standard: price('standard', '0.25 TRY'), fast: price('fast', '0.50 TRY') }), closed),
        ],
        {
          description:
            'Price of a URL: one amount, or one for each service level. Absent: what the service shows or charges. Of a configured and a learned price the higher one counts.',
          examples: ['0.25 TRY', { standard: '0.25 TRY', fast: '0.50 TRY' }],
        },
      ),
      limits: group('Rate limits of the API key, shared by all workers. Lower them when others use the key too.', {
        requests: group('Limits of all requests with the key.', {
          minute: Count('Requests a minute.', { default: 120, examples: [60] }),
          hour: Count('Requests an hour.', { default: 3_000, examples: [1_500] }),
          day: Count('Requests a day.', { default: 30_000, examples: [15_000] }),
        }),
        submissions: group('Limits of submissions, within those of all requests.', {
          minute: Count('POST /submissions a minute.', { default: 10, examples: [5] }),
        }),
        minute_length: Duration('For a test service whose minute, hour and day are shorter.', {
          default: '1m',
          examples: ['2s'],
        }),
      }),
      spend: group('Spending caps. URLs that would exceed a cap are held, not sent.', {
        per_day: Money('Maximum per day (UTC). Absent: no cap.', { examples: ['500 TRY'] }),
        per_month: Money('Maximum per month (UTC). Absent: no cap.', { examples: ['5000 TRY'] }),
        balance_floor: Money('Nothing is bought that would take the balance below it.', {
          default: '0 TRY',
          examples: ['100 TRY'],
        }),
      }),
      tracking: group('When to poll a job, by service level.', {
        fast: pollSettings('fast', '5m', '10s', '5m', '1d'),
        standard: pollSettings('standard', '3h', '10m', '1h', '8d'),
      }),
      timeouts: group(
        'Request timeouts. A short one costs time but no money: the same bytes are sent again with the same key.',
        {
          connect: Duration('Until the connection is established.', { default: '10s', examples: ['5s'] }),
          answer: Duration('Until the response begins.', { default: '60s', examples: ['30s'] }),
          total: Duration('Until the request is complete.', { default: '90s', examples: ['60s'] }),
        },
      ),
      terminal_states: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'States that end a job, in the words of the service or the specification.',
        default: ['completed', 'partial', 'failed'],
        examples: [['completed', 'partial', 'failed', 'cancelled']],
      }),
      status_map: StatusMapSchema,
      field_names: FieldNamesSchema,
      amounts: Type.Enum([...AMOUNT_FORMATS], {
        description:
          'How the service writes amounts as text, where two countries read them differently: "1.500 TL" is 1.50 TRY with decimal_point, and 1500 TRY with decimal_comma. Absent: such an amount is not read. courier doctor --learn proposes it.',
      }),
      reconcile: group('How the ledger is compared with the list of jobs.', {
        after: Duration(
          'A submission without a response is sent again with the same key until it is this old, then looked up in the list first. Must be shorter than your service remembers idempotency keys.',
          { default: '20h', examples: ['10h'] },
        ),
        confirm_after: Duration(
          'When the list lacks the job, it is read again after this time. Still missing, the batch is sent again.',
          { default: '30s', examples: ['2m'] },
        ),
        list: Type.Enum(['required', 'optional'], {
          description:
            'required: while the list fails, the account is held, because a restored ledger would buy again what it lacks. optional: after ten minutes it buys without.',
          default: 'required',
        }),
      }),
    }),
  },
  closed,
);
