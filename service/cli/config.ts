import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { parse } from 'yaml';
import { type Micros, parseTry } from '../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import type { PartialSettings } from '../serve.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { SettingsError } from '../settings-error.ts';

const object = <Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false });
const optional = Type.Optional;
const Milliseconds = Type.Integer({ minimum: 0 });
const Window = object({ limit: Type.Integer({ minimum: 1 }), window_ms: Type.Integer({ minimum: 1 }) });
const HttpUrl = Type.String({ pattern: '^https?://' });
/** A secret is named, never written here. */
const Secret = object({ env: Type.String() });

/** The configuration file of `serve`: every setting, all optional. */
const ConfigFile = object({
  database: optional(Type.String()),
  host: optional(Type.String()),
  port: optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  https: optional(Type.Boolean()),
  trusted_proxies: optional(Type.Array(Type.String({ minLength: 1 }))),
  default_service: optional(Type.Unsafe<ServiceLevel>({ type: 'string', enum: SERVICE_LEVELS })),
  stop_ms: optional(Milliseconds),
  body_limit_bytes: optional(Type.Integer({ minimum: 1_024 })),
  index_check_price: optional(Type.String()),
  budgets: optional(
    object({ minute: optional(Window), hour: optional(Window), day: optional(Window), submissions: optional(Window) }),
  ),
  index_check: optional(
    object({
      provider: optional(Type.Union([Type.Literal('simulated'), Type.Literal('brave')])),
      brave: optional(
        object({ endpoint: HttpUrl, token: Secret, per_second: optional(Type.Number({ exclusiveMinimum: 0 })) }),
      ),
      timeout_ms: optional(Milliseconds),
      lease_ms: optional(Milliseconds),
      wait_ms: optional(Milliseconds),
      retry_after_seconds: optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  processing: optional(
    object({
      processor: optional(Type.Union([Type.Literal('simulated'), Type.Literal('indexnow')])),
      simulated: optional(object({ fast_ms: Milliseconds, standard_ms: Milliseconds })),
      indexnow: optional(object({ endpoint: HttpUrl, key: Type.String(), key_location: optional(Type.String()) })),
      deadlines: optional(object({ fast_ms: optional(Milliseconds), standard_ms: optional(Milliseconds) })),
      refund_failed: optional(Type.Boolean()),
      sweep_ms: optional(Milliseconds),
    }),
  ),
  temporal: optional(
    object({
      address: optional(Type.String()),
      namespace: optional(Type.String()),
      task_queue: optional(Type.String()),
    }),
  ),
});
export type ConfigFile = Type.Static<typeof ConfigFile>;

const fits = new Ajv({ strict: false }).compile<ConfigFile>(ConfigFile);

/** Reads and checks a YAML (or JSON) file. Throws a SettingsError that names the setting. */
export function readConfig(path: string): ConfigFile {
  let read: unknown;
  try {
    read = parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new SettingsError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (fits(read)) return read;
  const [first] = fits.errors ?? [];
  const place = `${first?.instancePath.slice(1).replaceAll('/', '.') || 'the file'}`;
  const named = first?.params.additionalProperty ?? '';
  throw new SettingsError(`${path}: ${place} ${first?.message ?? 'is not valid'} ${named}`.trim());
}

const budget = (window: { limit: number; window_ms: number } | undefined) =>
  window === undefined ? undefined : { limit: window.limit, windowMs: window.window_ms };

/** Drops what is not set, so that the default stays. */
function set<Value extends object>(value: Value): { [Name in keyof Value]: Exclude<Value[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never;
}

/** The settings that a file changes. `env` is where its secrets are. */
export function toSettings(file: ConfigFile, env: NodeJS.ProcessEnv): PartialSettings {
  const { budgets = {}, index_check: check = {}, processing = {} } = file;
  const { brave } = check;
  const { deadlines, indexnow, simulated } = processing;
  return set({
    https: file.https,
    trustedProxies: file.trusted_proxies,
    defaultService: file.default_service,
    stopMs: file.stop_ms,
    bodyLimitBytes: file.body_limit_bytes,
    indexCheckPrice: file.index_check_price === undefined ? undefined : price(file.index_check_price),
    budgets: set({
      minute: budget(budgets.minute),
      hour: budget(budgets.hour),
      day: budget(budgets.day),
      submissions: budget(budgets.submissions),
    }),
    indexCheck: set({
      provider: check.provider,
      brave:
        brave === undefined
          ? undefined
          : { endpoint: brave.endpoint, token: secret(brave.token.env, env), perSecond: brave.per_second ?? 1 },
      timeoutMs: check.timeout_ms,
      leaseMs: check.lease_ms,
      waitMs: check.wait_ms,
      retryAfterSeconds: check.retry_after_seconds,
    }),
    processing: set({
      processor: processing.processor,
      simulated: simulated === undefined ? undefined : { fastMs: simulated.fast_ms, standardMs: simulated.standard_ms },
      indexnow:
        indexnow === undefined
          ? undefined
          : set({ endpoint: indexnow.endpoint, key: indexnow.key, keyLocation: indexnow.key_location }),
      deadlines:
        deadlines === undefined
          ? undefined
          : {
              fast: deadlines.fast_ms ?? DEFAULT_SETTINGS.processing.deadlines.fast,
              standard: deadlines.standard_ms ?? DEFAULT_SETTINGS.processing.deadlines.standard,
            },
      refundFailed: processing.refund_failed,
      sweepMs: processing.sweep_ms,
    }),
  }) as PartialSettings;
}

function price(text: string): Micros {
  const amount = parseTry(text);
  if (amount === null || amount < 0) throw new SettingsError(`"${text}" is not an amount of money: write it as 0.50`);
  return amount;
}

function secret(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value === undefined || value === '') throw new SettingsError(`the environment variable ${name} holds no secret`);
  return value;
}
