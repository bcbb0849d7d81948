import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

const Money = Type.String({
  pattern: '^\\d{1,10}(\\.\\d{1,6})?(\\s*TRY)?$',
  description: 'An amount of lira, such as "50 TRY" or "0.25 TRY".',
});
const Duration = Type.String({
  pattern: '^\\d{1,9}(\\.\\d{1,3})?\\s*(ms|s|m|h|d)$',
  description: 'A length of time: 250ms, 30s, 15m, 6h, 3d.',
});
const Percent = Type.String({ pattern: '^\\d{1,3}(\\.\\d{1,2})?\\s*%$', description: 'A share, such as "10%".' });
const Count = (description: string) => Type.Integer({ minimum: 1, description });
const Name = '^[a-z0-9][a-z0-9_-]{0,62}$';

const Secret = Type.Union(
  [
    Type.Object({ env: Type.String({ minLength: 1, description: 'Name of an environment variable.' }) }, closed),
    Type.Object(
      { file: Type.String({ minLength: 1, description: 'Path of a file that holds the secret alone.' }) },
      closed,
    ),
  ],
  { description: 'Where the secret is, never the secret itself: { env: NAME } or { file: PATH }.' },
);

const Service = Type.Enum(['standard', 'fast'], {
  description: 'Service level (3 hours to 7 days, or 5 to 10 minutes).',
});

const PollSettings = Type.Object(
  {
    first: Type.Optional(Duration),
    min: Type.Optional(Duration),
    max: Type.Optional(Duration),
    growth: Type.Optional(Type.Number({ minimum: 1, maximum: 10 })),
    patience: Type.Optional(Duration),
  },
  {
    ...closed,
    description: 'When to look at a job: first wait, then from min growing to max; a person is told after patience.',
  },
);

const StatusList = (meaning: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
      minItems: 1,
      description: `Words that mean ${meaning}.`,
    }),
  );

const StatusMapSchema = Type.Object(
  {
    job: Type.Optional(
      Type.Object(
        {
          queued: StatusList('accepted and not begun'),
          processing: StatusList('under way'),
          completed: StatusList('ended, all URLs done'),
          partial: StatusList('ended, some URLs failed'),
          failed: StatusList('ended, all URLs failed'),
        },
        { ...closed, description: 'States of a job.' },
      ),
    ),
    url: Type.Optional(
      Type.Object(
        {
          completed: StatusList('done'),
          failed: StatusList('failed: the URL may be bought again, see retry_failed'),
          open: StatusList('nothing is decided yet'),
        },
        { ...closed, description: 'States of one URL of a job.' },
      ),
    ),
    check: Type.Optional(
      Type.Object(
        {
          found: StatusList('in the index'),
          not_found: StatusList('not in the index'),
          unknown: StatusList('neither'),
        },
        { ...closed, description: 'Verdicts of an index-check.' },
      ),
    ),
  },
  {
    ...closed,
    description:
      'Words of the service that the connector does not know, in whatever letter case; they win over those that it ' +
      'knows. A word that stands nowhere counts as open, never as failed, and is told in the log.',
  },
);

const Account = Type.Object(
  {
    base_url: Type.String({ pattern: '^https?://', description: 'Address of the service, with /api/v1.' }),
    api_key: Secret,
    authentication: Type.Optional(
      Type.Enum(['bearer', 'x-api-key'], {
        description:
          'Header that carries the key: Authorization: Bearer (the default) or X-API-Key, where something in front of ' +
          'the service needs Authorization for itself.',
      }),
    ),
    price_per_url: Type.Optional(Money),
    limits: Type.Optional(
      Type.Object(
        {
          requests: Type.Optional(
            Type.Object(
              {
                minute: Type.Optional(Count('Requests a minute.')),
                hour: Type.Optional(Count('Requests an hour.')),
                day: Type.Optional(Count('Requests a day.')),
              },
              closed,
            ),
          ),
          submissions: Type.Optional(
            Type.Object({ minute: Type.Optional(Count('POST /submissions a minute.')) }, closed),
          ),
          minute_length: Type.Optional(Duration),
        },
        {
          ...closed,
          description:
            'Budgets of the API key, shared by all workers. Lower them when others use the key too. minute_length is for ' +
            'a test service whose minute, and with it hour and day, is shorter than the real one.',
        },
      ),
    ),
    spend: Type.Optional(
      Type.Object(
        {
          per_day: Type.Optional(Money),
          per_month: Type.Optional(Money),
          balance_floor: Type.Optional(Money),
        },
        { ...closed, description: 'What may be spent. A plan over a cap is held, never sent.' },
      ),
    ),
    tracking: Type.Optional(
      Type.Object(
        { fast: Type.Optional(PollSettings), standard: Type.Optional(PollSettings) },
        { ...closed, description: 'Polling.' },
      ),
    ),
    timeouts: Type.Optional(
      Type.Object(
        { connect: Type.Optional(Duration), answer: Type.Optional(Duration), total: Type.Optional(Duration) },
        {
          ...closed,
          description:
            'How long a request may take: to connect, until its answer begins, and as a whole. Too short is not ' +
            'dangerous, only slow: a request without an answer is sent again with the same bytes and key.',
        },
      ),
    ),
    terminal_states: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Job states after which nothing more is expected. Default: completed, partial, failed.',
      }),
    ),
    words: Type.Optional(StatusMapSchema),
    reconcile: Type.Optional(
      Type.Object(
        { after: Type.Optional(Duration), confirm_after: Type.Optional(Duration) },
        {
          ...closed,
          description:
            'A submission whose answer was lost is sent again with the same key until it is this old (after: 20h), then it ' +
            'is looked up in the list first. Set it shorter than the time for which the service keeps idempotency keys. ' +
            'A list that does not have it is asked once more after confirm_after (30s) before that is believed.',
        },
      ),
    ),
  },
  closed,
);

const watchSettings = {
  service: Type.Optional(Service),
  schedule: Type.Optional(
    Type.Object(
      {
        cron: Type.String({ minLength: 9, description: 'Five fields: minute hour day month weekday.' }),
        timezone: Type.Optional(Type.String({ minLength: 1, description: 'IANA name. Default: UTC.' })),
      },
      closed,
    ),
  ),
  first_run: Type.Optional(
    Type.Enum(['baseline', 'submit'], {
      description: 'baseline adopts what is there without buying it; submit buys it.',
    }),
  ),
  resubmit: Type.Optional(
    Type.Object({ on_lastmod_change: Type.Optional(Type.Boolean()), not_within: Type.Optional(Duration) }, closed),
  ),
  retry_failed: Type.Optional(
    Type.Object(
      { times: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })), after: Type.Optional(Duration) },
      { ...closed, description: 'A failed URL is bought again at most so often, after this wait (doubling).' },
    ),
  ),
  guard: Type.Optional(
    Type.Object(
      {
        max_new: Type.Optional(Count('Hold the run when it finds more new URLs.')),
        max_new_percent: Type.Optional(Type.Number({ minimum: 0 })),
        max_gone_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      },
      { ...closed, description: 'An implausible change waits for a person.' },
    ),
  ),
  spend: Type.Optional(
    Type.Object(
      { per_run: Type.Optional(Money), per_day: Type.Optional(Money), per_month: Type.Optional(Money) },
      closed,
    ),
  ),
  index_check: Type.Optional(
    Type.Object(
      {
        after: Type.Optional(Duration),
        every: Type.Optional(Duration),
        stop_when_found: Type.Optional(Type.Boolean()),
        sample: Type.Optional(Percent),
        per_day: Type.Optional(Money),
        resubmit_after: Type.Optional(Count('Submit once more after so many checks that did not find the URL.')),
      },
      { ...closed, description: 'Paid checks (0.50 TRY a URL). Absent: none are made.' },
    ),
  ),
} as const;

const Watch = Type.Object(
  {
    account: Type.String({ pattern: Name }),
    project: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Name shown at the service.' })),
    sitemaps: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    robots: Type.Optional(
      Type.String({ pattern: '^https?://', description: 'robots.txt whose Sitemap lines are read.' }),
    ),
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Hosts whose URLs are ours; "*" for any.',
      }),
    ),
    include: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    exclude: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    hreflang: Type.Optional(Type.Boolean({ description: 'Whether hreflang alternates are pages of this watch.' })),
    allow_private_hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Loopback and private hosts that may be read, by name.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Secret]), {
        description: 'Extra request headers for the sitemaps.',
      }),
    ),
    paused: Type.Optional(Type.Boolean({ description: 'No scheduled runs.' })),
    ...watchSettings,
  },
  closed,
);

export const ConfigSchema = Type.Object(
  {
    version: Type.Literal(1),
    accounts: Type.Record(Type.String({ pattern: Name }), Account),
    defaults: Type.Optional(Type.Object(watchSettings, closed)),
    watches: Type.Record(Type.String({ pattern: Name }), Watch),
    temporal: Type.Optional(
      Type.Object(
        {
          address: Type.Optional(
            Type.String({ description: 'host:port. Empty: TEMPORAL_* variables, else a local server.' }),
          ),
          namespace: Type.Optional(Type.String({ minLength: 1 })),
        },
        closed,
      ),
    ),
    ledger: Type.Optional(
      Type.Object(
        {
          url: Type.Optional(
            Type.String({ pattern: '^(sqlite:|postgres(ql)?://)', description: 'sqlite:PATH or postgres://…' }),
          ),
        },
        closed,
      ),
    ),
  },
  { ...closed, $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'sitemap-courier configuration' },
);

export type RawConfig = Static<typeof ConfigSchema>;
export type RawWatch = Static<typeof Watch>;
export type RawAccount = Static<typeof Account>;
export type SecretReference = Static<typeof Secret>;
