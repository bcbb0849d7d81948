import { Type } from '../../json-schema/type.ts';
import { DEFAULT_MAX_CHANGED, DEFAULT_MAX_CHANGED_PERCENT } from '../../submission/guard.ts';
import { DEFAULT_PRIORITY } from '../../submission/run-priority.ts';
import { Address } from './notify.ts';
import {
  Count,
  Cron,
  closed,
  Duration,
  Flag,
  Glob,
  group,
  Money,
  optional,
  PATTERN,
  Percent,
  Service,
  secretOf,
  section,
  Timezone,
} from './values.ts';

/** The settings that `defaults` may hold too. */
export const watchSettings = optional({
  service: Service,
  schedule: section('When the watch runs. Absent: only by command.', {
    cron: Cron({ examples: ['30 4 * * *'] }),
    ...optional({ timezone: Timezone('IANA time zone of the cron line.') }),
  }),
  crawl: group('How the sitemaps are requested.', {
    respect_crawl_delay: Flag('Keep the Crawl-delay of robots.txt between two requests to a host, up to 30 s.', false),
  }),
  priority: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: 'Which crawls go first while slots are short: 1 before 5. Batches of an account keep their order.',
    default: DEFAULT_PRIORITY,
    examples: [1],
  }),
  first_run: Type.Enum(['baseline', 'submit'], {
    description:
      'What the first complete run does with existing URLs: baseline adopts them unbought, submit buys them.',
    default: 'baseline',
  }),
  resubmit: group('When a changed URL is bought again.', {
    on_lastmod_change: Flag('Buy a URL again when its lastmod changes.', false),
    not_within: Duration('Minimum time between two purchases of a URL.', { default: '0s', examples: ['30d'] }),
  }),
  retry_failed: group('Retries of failed URLs. Each is charged.', {
    times: Type.Integer({
      minimum: 0,
      maximum: 10,
      description: 'How many times a failed URL is bought again.',
      default: 2,
      examples: [3],
    }),
    after: Duration('Time before the first retry; doubles with each retry.', { default: '1d', examples: ['6h'] }),
  }),
  guard: group('A run beyond a limit is held until you approve or reject it.', {
    max_new: Count('Most new URLs without approval.', { examples: [5_000] }),
    max_new_percent: Type.Number({
      minimum: 0,
      description: 'The same in percent of the URLs known.',
      examples: [20],
    }),
    max_changed: Count('Most changed URLs without approval.', { default: DEFAULT_MAX_CHANGED, examples: [5_000] }),
    max_changed_percent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'The same in percent of the URLs known; fewer than 20 never count. 100: off.',
      default: DEFAULT_MAX_CHANGED_PERCENT,
      examples: [20],
    }),
    max_gone_percent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Most URLs, in percent of those known, that may disappear without approval.',
      examples: [30],
    }),
  }),
  spend: group('Spending caps of the watch, within those of its account.', {
    per_run: Money('Maximum of a run.', { examples: ['250 TRY'] }),
    per_day: Money('Maximum per day (UTC).', { examples: ['250 TRY'] }),
    per_month: Money('Maximum per month (UTC).', { examples: ['2500 TRY'] }),
  }),
  index_check: group('Paid index-checks (0.50 TRY per URL) of completed URLs. Absent: no checks.', {
    after: Duration('Time from completion to the first check.', { default: '3d', examples: ['5d'] }),
    every: Duration('Time from one check of a URL to the next.', { default: '7d', examples: ['14d'] }),
    stop_when_found: Flag('Stop checking a URL once it was found.', true),
    sample: Percent('Share of the completed URLs that is checked.', { default: '100%', examples: ['10%'] }),
    per_day: Money('Maximum of checks per day (UTC).', { examples: ['50 TRY'] }),
    resubmit_after: Count('Submit a URL once more after so many checks without it. Absent: never.', { examples: [3] }),
  }),
});

export const Watch = Type.Object(
  {
    account: Type.String({ pattern: PATTERN.name, description: 'The account that pays.', examples: ['main'] }),
    ...optional({
      project: Type.String({
        minLength: 2,
        maxLength: 100,
        description: 'Project name at the service. Default: the name of the watch.',
        examples: ['Shop nightly'],
      }),
      sitemaps: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Sitemaps, indexes or feeds: URLs or files.',
        examples: [['https://shop.example/sitemap.xml']],
      }),
      robots: Type.String({
        pattern: PATTERN.robots,
        description: 'robots.txt whose Sitemap lines name the sitemaps.',
        examples: ['https://shop.example/robots.txt'],
      }),
      hosts: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Hosts whose URLs are bought; "*" for any. Default: the hosts of the sitemaps.',
        examples: [['shop.example', 'www.shop.example']],
      }),
      include: Type.Array(Glob, {
        minItems: 1,
        description: 'Globs over the path, not the query; only URLs that match one are bought.',
        examples: [['/products/**']],
      }),
      exclude: Type.Array(Glob, {
        minItems: 1,
        description: 'Such globs; URLs that match one are skipped, whatever include says.',
        examples: [['/products/draft/**']],
      }),
      hreflang: Flag('Hreflang alternates are URLs of this watch.', false),
      allow_private_hosts: Type.Array(Type.String({ minLength: 1 }), {
        description: 'Loopback and private hosts from which sitemaps may be read.',
        default: [],
        examples: [['127.0.0.1']],
      }),
      headers: Type.Record(
        Type.String(),
        Type.Union([Type.String(), secretOf('STAGING_AUTH', '/run/secrets/staging-auth')]),
        {
          description: 'Extra request headers for the sitemaps: strings or secrets.',
          examples: [{ authorization: { env: 'STAGING_AUTH' } }],
        },
      ),
      paused: Flag('While true, no scheduled runs start.', false),
      ping: Address(
        'Dead-man switch: requested with GET after each complete run, for a monitor such as healthchecks.io.',
      ),
    }),
    ...watchSettings,
  },
  closed,
);
