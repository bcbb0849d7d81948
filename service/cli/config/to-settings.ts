import { readFileSync } from 'node:fs';
import { explainAmount } from '../../../contract/amount-text.ts';
import { type Micros, parseTry } from '../../../contract/money.ts';
import type { PartialSettings } from '../../serve.ts';
import { DEFAULT_SETTINGS, type Window } from '../../settings.ts';
import { SettingsError } from '../../settings-error.ts';
import type { ConfigFile } from './schema.ts';

/** The settings that a file and the environment change. `env` is where secrets are. */
export function toSettings(file: ConfigFile, env: NodeJS.ProcessEnv): PartialSettings {
  const { tls, admin, capacity = {}, postgres = {}, retention = {}, dashboard = {} } = file;
  return set({
    https: file.https,
    trustedProxies: file.trusted_proxies,
    pathPrefix: file.path_prefix,
    defaultService: file.default_service,
    stopMs: file.stop_ms,
    bodyLimitBytes: file.body_limit_bytes,
    indexCheckPrice: file.index_check_price === undefined ? undefined : price(file.index_check_price),
    tls: tls === undefined ? undefined : { certFile: tls.cert_file, keyFile: tls.key_file },
    admin: admin?.port === undefined ? undefined : { host: admin.host ?? '127.0.0.1', port: admin.port },
    budgets: toBudgets(file),
    bodies: {
      ...DEFAULT_SETTINGS.bodies,
      ...set({ totalBytes: capacity.body_bytes, accountBytes: capacity.body_bytes_per_account }),
    },
    load: {
      ...DEFAULT_SETTINGS.load,
      ...set({ requests: capacity.requests, requestsPerAccount: capacity.requests_per_account }),
    },
    postgres: {
      ...DEFAULT_SETTINGS.postgres,
      ...set({ statementMs: postgres.statement_ms, lockMs: postgres.lock_ms, idleMs: postgres.idle_ms }),
    },
    retention: {
      ...DEFAULT_SETTINGS.retention,
      ...set({
        urlsDays: retention.urls_days,
        checksDays: retention.checks_days,
        eventsDays: retention.events_days,
        keysDays: retention.keys_days,
      }),
    },
    dashboard: { name: dashboard.name ?? null, logoFile: dashboard.logo ?? null },
    indexCheck: toIndexCheck(file, env),
    processing: toProcessing(file),
  }) as PartialSettings;
}

function toBudgets({ budgets = {} }: ConfigFile) {
  const window = (given: { limit?: number; window_ms?: number } | undefined, standard: Window) =>
    given === undefined ? undefined : { ...standard, ...set({ limit: given.limit, windowMs: given.window_ms }) };
  return set({
    minute: window(budgets.minute, DEFAULT_SETTINGS.budgets.minute),
    hour: window(budgets.hour, DEFAULT_SETTINGS.budgets.hour),
    day: window(budgets.day, DEFAULT_SETTINGS.budgets.day),
    submissions: window(budgets.submissions, DEFAULT_SETTINGS.budgets.submissions),
  });
}

function toIndexCheck({ index_check: check = {} }: ConfigFile, env: NodeJS.ProcessEnv) {
  const { brave } = check;
  return set({
    provider: check.provider,
    brave:
      brave === undefined
        ? undefined
        : { endpoint: brave.endpoint, token: readSecret(brave.token, env), perSecond: brave.per_second ?? 1 },
    timeoutMs: check.timeout_ms,
    leaseMs: check.lease_ms,
    waitMs: check.wait_ms,
    retryAfterSeconds: check.retry_after_seconds,
  });
}

function toProcessing({ processing = {} }: ConfigFile) {
  const { deadlines, indexnow, simulated } = processing;
  const standard = DEFAULT_SETTINGS.processing;
  return set({
    processor: processing.processor,
    simulated:
      simulated === undefined
        ? undefined
        : { ...standard.simulated, ...set({ fastMs: simulated.fast_ms, standardMs: simulated.standard_ms }) },
    indexnow:
      indexnow === undefined
        ? undefined
        : set({ endpoint: indexnow.endpoint, key: indexnow.key, keyLocation: indexnow.key_location }),
    deadlines:
      deadlines === undefined
        ? undefined
        : { ...standard.deadlines, ...set({ fast: deadlines.fast_ms, standard: deadlines.standard_ms }) },
    refundFailed: processing.refund_failed,
    sweepMs: processing.sweep_ms,
  });
}

/** Drops what is not set, so that the default stays. */
function set<Value extends object>(value: Value): { [Name in keyof Value]: Exclude<Value[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never;
}

function price(text: string): Micros {
  const isPrice = (amount: Micros) => amount >= 0;
  const amount = parseTry(text);
  if (amount !== null && isPrice(amount)) return amount;
  throw new SettingsError(`index_check_price: ${explainAmount(text, isPrice, '0.50TRY')}`);
}

/** A secret is named in the settings, never written there. */
function readSecret({ env: name, file }: { env?: string; file?: string }, env: NodeJS.ProcessEnv): string {
  if (name !== undefined) {
    const value = env[name];
    if (value === undefined || value === '')
      throw new SettingsError(`the environment variable ${name} is not set or empty; set it to the secret`);
    return value;
  }
  if (file === undefined) throw new SettingsError('index_check.brave.token needs env or file');
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new SettingsError(`the secret of index_check.brave.token cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw new SettingsError(`the secret file ${file} is empty; write the secret into it`);
  return text;
}
