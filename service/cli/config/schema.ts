import { type TProperties, type TSchema, Type } from 'typebox';
import { decimalTry } from '../../../contract/money.ts';
import { SERVICE_LEVELS } from '../../../contract/states.ts';
import { DEFAULT_SETTINGS } from '../../settings.ts';

const { budgets, bodies, load, postgres, indexCheck, processing, retention } = DEFAULT_SETTINGS;

const object = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false });
type Optional<Fields extends TProperties> = { [Name in keyof Fields]: ReturnType<typeof Type.Optional<Fields[Name]>> };

const optional = <Fields extends TProperties>(fields: Fields): Optional<Fields> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)])) as Optional<Fields>;

/** Settings of which none is required. */
const group = <Fields extends TProperties>(fields: Fields) => object(optional(fields));

interface About {
  readonly default?: unknown;
}
const text = (description: string, more: About & { pattern?: string } = {}) => Type.String({ description, ...more });
const flag = (description: string, value: boolean) => Type.Boolean({ description, default: value });
const choice = <const Values extends readonly string[]>(values: Values, description: string, value: Values[number]) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, description, default: value });
const whole = (description: string, more: About & { minimum: number; maximum?: number }) =>
  Type.Integer({ description, ...more });
/** The longest that a timer of Node waits, and some seconds for those who add to it: a longer one would not wait at all. */
const LONGEST_MS = 2 ** 31 - 10_000;
const milliseconds = (description: string, value: number) =>
  whole(description, { minimum: 0, maximum: LONGEST_MS, default: value });
/** A length that no timer waits for at once. */
const length = (description: string, value: number) => whole(description, { minimum: 0, default: value });
const httpUrl = (description: string) => text(description, { pattern: '^https?://' });

const window = ({ limit, windowMs }: { limit: number; windowMs: number }, what: string) =>
  group({
    limit: whole(`${what} with one key in the window`, { minimum: 1, default: limit }),
    window_ms: whole('length of that window', { minimum: 1, default: windowMs }),
  });

const days = (description: string, value: number | null) =>
  whole(description, { minimum: 1, ...(value === null ? {} : { default: value }) });

/** Every setting of `serve`, all optional: the configuration file, the environment variables and the reference page. */
export const ConfigFile = group({
  database: text('`sqlite:PATH` or `postgres://…`', { default: 'sqlite:.courier/service.db' }),
  host: text('address to listen on', { default: '127.0.0.1' }),
  port: whole('port to listen on, 0 for a free one', { minimum: 0, maximum: 65_535, default: 8080 }),
  admin: group({
    host: text('address of the admin listener', { default: '127.0.0.1' }),
    port: whole('port of `/metrics`, `/healthz` and `/readyz`; without it there is no admin listener', {
      minimum: 0,
      maximum: 65_535,
    }),
  }),
  tls: object({
    cert_file: text('PEM file of the certificate with its chain; read again when it changes'),
    key_file: text('PEM file of its private key'),
  }),
  https: flag('set it behind a proxy with TLS: Secure cookies and HSTS. Always so with `tls`', DEFAULT_SETTINGS.https),
  trusted_proxies: Type.Array(Type.String({ minLength: 1 }), {
    description: 'addresses or networks whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted',
    default: [],
  }),
  path_prefix: text(
    'path below which a proxy serves the service and which it takes off each request, like `/indexing`',
    {
      pattern: '^(/[A-Za-z0-9._~-]+)+$',
    },
  ),
  default_service: choice(
    SERVICE_LEVELS,
    'service level of a submission that names none',
    DEFAULT_SETTINGS.defaultService,
  ),
  stop_ms: milliseconds(
    'how long a stop may take; what is not answered or processed then is cut off',
    DEFAULT_SETTINGS.stopMs,
  ),
  body_limit_bytes: whole('largest body of `POST /submissions`: 5,000 URLs of 2,048 ASCII characters fit the default', {
    minimum: 1_024,
    default: DEFAULT_SETTINGS.bodyLimitBytes,
  }),
  index_check_price: text('price of a URL of an index-check, in TRY', {
    default: decimalTry(DEFAULT_SETTINGS.indexCheckPrice),
  }),
  budgets: group({
    minute: window(budgets.minute, 'requests'),
    hour: window(budgets.hour, 'requests'),
    day: window(budgets.day, 'requests'),
    submissions: window(budgets.submissions, 'requests of `POST /submissions`'),
  }),
  capacity: group({
    body_bytes: whole('request bodies in memory at the same time', { minimum: 1_024, default: bodies.totalBytes }),
    body_bytes_per_account: whole('of them for one account', { minimum: 1_024, default: bodies.accountBytes }),
    requests: whole('requests that are answered at the same time', { minimum: 1, default: load.requests }),
    requests_per_account: whole('of them for one account, with all its keys', {
      minimum: 1,
      default: load.requestsPerAccount,
    }),
  }),
  postgres: group({
    statement_ms: milliseconds('longest statement; 0: no limit', postgres.statementMs),
    lock_ms: milliseconds('longest wait for a lock', postgres.lockMs),
    idle_ms: milliseconds('longest transaction without a statement', postgres.idleMs),
  }),
  index_check: group({
    provider: choice(['simulated', 'brave'], 'what answers index-checks', indexCheck.provider),
    brave: object({
      endpoint: httpUrl('address of the Brave Search API'),
      token: group({
        env: text('environment variable that holds the subscription token'),
        file: text('or the file that holds it'),
      }),
      ...optional({
        per_second: Type.Number({ exclusiveMinimum: 0, description: 'queries a second of this process', default: 1 }),
      }),
    }),
    timeout_ms: milliseconds('how long the queries of one check may take', indexCheck.timeoutMs),
    lease_ms: milliseconds(
      'after this long without a result the charge is restored; more than 5000 above `timeout_ms`',
      indexCheck.leaseMs,
    ),
    wait_ms: milliseconds('how long a repeated request waits for the first one', indexCheck.waitMs),
    retry_after_seconds: whole('Retry-After when a check cannot be made', {
      minimum: 1,
      default: indexCheck.retryAfterSeconds,
    }),
  }),
  processing: group({
    processor: choice(['simulated', 'indexnow'], 'what processes submissions', processing.processor),
    simulated: group({
      fast_ms: length('how long the simulated processor takes with `fast`', processing.simulated.fastMs),
      standard_ms: length('the same with `standard`', processing.simulated.standardMs),
    }),
    indexnow: object({
      endpoint: httpUrl('address of an IndexNow endpoint'),
      key: text('your IndexNow key, which is public'),
      ...optional({ key_location: text('where each host serves the key file; `{host}` stands for the host') }),
    }),
    deadlines: group({
      fast_ms: length('after this long a `fast` submission ends, whatever is left', processing.deadlines.fast),
      standard_ms: length('the same with `standard`', processing.deadlines.standard),
    }),
    refund_failed: flag('pay failed URLs back when a submission ends', processing.refundFailed),
    sweep_ms: milliseconds('how often submissions that no worker has taken are searched', processing.sweepMs),
  }),
  temporal: group({
    address: text(
      '`host:port` of a Temporal server without TLS; without it the `TEMPORAL_*` variables and profiles decide',
    ),
    namespace: text('Temporal namespace', { default: 'default' }),
    task_queue: text('Temporal task queue', { default: 'courier-service' }),
  }),
  dashboard: group({
    name: text('your name: it stands on every page of the dashboard', { pattern: '^.{1,60}$' }),
    logo: text('image beside it: an `.svg`, `.png`, `.jpg` or `.webp` file of at most 256 KiB'),
  }),
  retention: group({
    urls_days: days(
      'the URLs of a submission are deleted so long after it ended; without it they stay',
      retention.urlsDays,
    ),
    checks_days: days('URLs and results of an index-check are deleted so long after it ended', retention.checksDays),
    events_days: days('audit events are deleted after so long; without it they stay', retention.eventsDays),
    keys_days: days('keys are deleted so long after they ended', retention.keysDays),
  }),
});
export type ConfigFile = Type.Static<typeof ConfigFile>;

/** One setting, wherever it is nested. */
export interface Setting {
  /** As in the file: `index_check.timeout_ms`. */
  readonly key: string;
  /** The environment variable that sets it. */
  readonly variable: string;
  readonly schema: SettingSchema;
}

export type SettingSchema = TSchema & {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
};

export const toVariable = (key: string): string => `COURIER_SERVICE_${key.toUpperCase().replaceAll('.', '_')}`;

/** Every setting in the order of the schema. */
export function listSettings(schema: SettingSchema = ConfigFile as SettingSchema, prefix = ''): Setting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const key = `${prefix}${name}`;
    if (inner.properties !== undefined) return listSettings(inner, `${key}.`);
    return [{ key, variable: toVariable(key), schema: inner }];
  });
}
