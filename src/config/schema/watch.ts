import { Type } from '../../json-schema/type.ts';
import { DEFAULT_MAX_CHANGED, DEFAULT_MAX_CHANGED_PERCENT } from '../../submission/guard.ts';
import { DEFAULT_PRIORITY } from '../../submission/run-priority.ts';
import { Address } from './notify.ts';
import { Count, closed, Duration, Glob, Money, PATTERN, Percent, Service, secretOf } from './values.ts';

/** The settings that `defaults` may hold too. */
export const watchSettings = {
  service: Type.Optional(Service),
  schedule: Type.Optional(
    Type.Object(
      {
        cron: Type.String({
          minLength: 1,
          description: 'Five fields: minute, hour, day of the month, month, day of the week.',
          examples: ['30 4 * * *'],
        }),
        timezone: Type.Optional(
          Type.String({
            minLength: 1,
            description: 'IANA time zone of the cron line.',
            default: 'UTC',
            examples: ['Europe/Istanbul'],
          }),
        ),
      },
      { ...closed, description: 'When the watch runs. Absent: only by command.' },
    ),
  ),
  crawl: Type.Optional(
    Type.Object(
      {
        respect_crawl_delay: Type.Optional(
          Type.Boolean({
            description: 'Keep the Crawl-delay of robots.txt between two requests to a host, up to 30 s.',
            default: false,
            examples: [true],
          }),
        ),
      },
      { ...closed, description: 'How the sitemaps are requested.' },
    ),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'Which crawls go first while slots are short: 1 before 5. Batches of an account keep their order.',
      default: DEFAULT_PRIORITY,
      examples: [1],
    }),
  ),
  first_run: Type.Optional(
    Type.Enum(['baseline', 'submit'], {
      description:
        'What the first complete run does with existing URLs: baseline adopts them unbought, submit buys them.',
      default: 'baseline',
    }),
  ),
  resubmit: Type.Optional(
    Type.Object(
      {
        on_lastmod_change: Type.Optional(
          Type.Boolean({ description: 'Buy a URL again when its lastmod changes.', default: false, examples: [true] }),
        ),
        not_within: Type.Optional(
          Duration({ description: 'Minimum time between two purchases of a URL.', default: '0s', examples: ['30d'] }),
        ),
      },
      { ...closed, description: 'When a changed URL is bought again.' },
    ),
  ),
  retry_failed: Type.Optional(
    Type.Object(
      {
        times: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 10,
            description: 'How many times a failed URL is bought again.',
            default: 2,
            examples: [3],
          }),
        ),
        after: Type.Optional(
          Duration({
            description: 'Time before the first retry; doubles with each retry.',
            default: '1d',
            examples: ['6h'],
          }),
        ),
      },
      { ...closed, description: 'Retries of failed URLs. Each is charged.' },
    ),
  ),
  guard: Type.Optional(
    Type.Object(
      {
        max_new: Type.Optional(Count('Most new URLs without approval.', { examples: [5_000] })),
        max_new_percent: Type.Optional(
          Type.Number({ minimum: 0, description: 'The same in percent of the URLs known.', examples: [20] }),
        ),
        max_changed: Type.Optional(
          Count('Most changed URLs without approval.', {
            default: DEFAULT_MAX_CHANGED,
            examples: [5_000],
          }),
        ),
        max_changed_percent: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 100,
            description: 'The same in percent of the URLs known; fewer than 20 never count. 100: off.',
            default: DEFAULT_MAX_CHANGED_PERCENT,
            examples: [20],
          }),
        ),
        max_gone_percent: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 100,
            description: 'Most URLs, in percent of those known, that may disappear without approval.',
            examples: [30],
          }),
        ),
      },
      { ...closed, description: 'A run beyond a limit is held until you approve or reject it.' },
    ),
  ),
  spend: Type.Optional(
    Type.Object(
      {
        per_run: Type.Optional(Money({ description: 'Maximum of a run.', examples: ['250 TRY'] })),
        per_day: Type.Optional(Money({ description: 'Maximum per day (UTC).', examples: ['250 TRY'] })),
        per_month: Type.Optional(Money({ description: 'Maximum per month (UTC).', examples: ['2500 TRY'] })),
      },
      { ...closed, description: 'Spending caps of the watch, within those of its account.' },
    ),
  ),
  index_check: Type.Optional(
    Type.Object(
      {
        after: Type.Optional(
          Duration({ description: 'Time from completion to the first check.', default: '3d', examples: ['5d'] }),
        ),
        every: Type.Optional(
          Duration({ description: 'Time from one check of a URL to the next.', default: '7d', examples: ['14d'] }),
        ),
        stop_when_found: Type.Optional(
          Type.Boolean({ description: 'Stop checking a URL once it was found.', default: true, examples: [false] }),
        ),
        sample: Type.Optional(
          Percent({ description: 'Share of the completed URLs that is checked.', default: '100%', examples: ['10%'] }),
        ),
        per_day: Type.Optional(Money({ description: 'Maximum of checks per day (UTC).', examples: ['50 TRY'] })),
        resubmit_after: Type.Optional(
          Count('Submit a URL once more after so many checks without it. Absent: never.', {
            examples: [3],
          }),
        ),
      },
      { ...closed, description: 'Paid index-checks (0.50 TRY per URL) of completed URLs. Absent: no checks.' },
    ),
  ),
} as const;

export const Watch = Type.Object(
  {
    account: Type.String({ pattern: PATTERN.name, description: 'The account that pays.', examples: ['main'] }),
    project: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 100,
        description: 'Project name at the service. Default: the name of the watch.',
        examples: ['Shop nightly'],
      }),
    ),
    sitemaps: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Sitemaps, indexes or feeds: URLs or files.',
        examples: [['https://shop.example/sitemap.xml']],
      }),
    ),
    robots: Type.Optional(
      Type.String({
        pattern: PATTERN.robots,
        description: 'robots.txt whose Sitemap lines name the sitemaps.',
        examples: ['https://shop.example/robots.txt'],
      }),
    ),
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Hosts whose URLs are bought; "*" for any. Default: the hosts of the sitemaps.',
        examples: [['shop.example', 'www.shop.example']],
      }),
    ),
    include: Type.Optional(
      Type.Array(Glob, {
        minItems: 1,
        description: 'Globs over the path, not the query; only URLs that match one are bought.',
        examples: [['/products/**']],
      }),
    ),
    exclude: Type.Optional(
      Type.Array(Glob, {
        minItems: 1,
        description: 'Such globs; URLs that match one are skipped, whatever include says.',
        examples: [['/products/draft/**']],
      }),
    ),
    hreflang: Type.Optional(
      Type.Boolean({
        description: 'Hreflang alternates are URLs of this watch.',
        default: false,
        examples: [true],
      }),
    ),
    allow_private_hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Loopback and private hosts from which sitemaps may be read.',
        default: [],
        examples: [['127.0.0.1']],
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), secretOf('STAGING_AUTH', '/run/secrets/staging-auth')]), {
        description: 'Extra request headers for the sitemaps: strings or secrets.',
        examples: [{ authorization: { env: 'STAGING_AUTH' } }],
      }),
    ),
    paused: Type.Optional(
      Type.Boolean({ description: 'While true, no scheduled runs start.', default: false, examples: [true] }),
    ),
    ping: Type.Optional(
      Address('Dead-man switch: requested with GET after each complete run, for a monitor such as healthchecks.io.'),
    ),
    ...watchSettings,
  },
  closed,
);
