import { readFileSync } from 'node:fs';
import { explainAmount } from '../../../contract/amount-text.ts';
import { type Micros, parseTry } from '../../../contract/money.ts';
import type { PartialSettings } from '../../serve.ts';
import { type BudgetSettings, DEFAULT_SETTINGS } from '../../settings.ts';
import { SettingsError } from '../../settings-error.ts';
import type { ConfigFile } from './schema.ts';

/** The settings that a file and the environment change. `env` is where secrets are. */
export function toSettings(file: ConfigFile, env: NodeJS.ProcessEnv): PartialSettings {
  const { tls, admin, budgets = {}, capacity = {}, postgres = {}, retention = {}, dashboard = {}, ...others } = file;
  const { index_check: check, index_check_price: price, processing, database, host, port, temporal, ...plain } = others;
  const { bodies, load } = DEFAULT_SETTINGS;
  return {
    ...toNames(plain),
    ...(price === undefined ? {} : { indexCheckPrice: parsePrice(price) }),
    ...(tls === undefined ? {} : { tls: toNames(tls) }),
    ...(admin?.port === undefined ? {} : { admin: { host: admin.host ?? '127.0.0.1', port: admin.port } }),
    budgets: toBudgets(budgets),
    bodies: {
      totalBytes: capacity.body_bytes ?? bodies.totalBytes,
      accountBytes: capacity.body_bytes_per_account ?? bodies.accountBytes,
    },
    load: {
      requests: capacity.requests ?? load.requests,
      requestsPerAccount: capacity.requests_per_account ?? load.requestsPerAccount,
    },
    postgres: { ...DEFAULT_SETTINGS.postgres, ...toNames(postgres) },
    retention: { ...DEFAULT_SETTINGS.retention, ...toNames(retention) },
    dashboard: { name: dashboard.name ?? null, logoFile: dashboard.logo ?? null },
    indexCheck: toIndexCheck(check, env),
    processing: toProcessing(processing),
  };
}

function toBudgets(budgets: NonNullable<ConfigFile['budgets']>): Partial<BudgetSettings> {
  const windows = Object.entries(budgets) as [keyof BudgetSettings, { limit?: number; window_ms?: number }][];
  return Object.fromEntries(
    windows.map(([name, window]) => [name, { ...DEFAULT_SETTINGS.budgets[name], ...toNames(window) }]),
  );
}

function toIndexCheck({ brave, ...plain }: ConfigFile['index_check'] = {}, env: NodeJS.ProcessEnv) {
  if (brave === undefined) return toNames(plain);
  const { endpoint, token, per_second: perSecond = 1 } = brave;
  return { ...toNames(plain), brave: { endpoint, token: readSecret(token, env), perSecond } };
}

function toProcessing({ deadlines, indexnow, simulated, ...plain }: ConfigFile['processing'] = {}) {
  const standard = DEFAULT_SETTINGS.processing;
  return {
    ...toNames(plain),
    ...(simulated === undefined ? {} : { simulated: { ...standard.simulated, ...toNames(simulated) } }),
    ...(indexnow === undefined ? {} : { indexnow: toNames(indexnow) }),
    ...(deadlines === undefined
      ? {}
      : {
          deadlines: {
            fast: deadlines.fast_ms ?? standard.deadlines.fast,
            standard: deadlines.standard_ms ?? standard.deadlines.standard,
          },
        }),
  };
}

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** The same values by the names of the program: `stop_ms` is `stopMs`. */
const toNames = <Group extends object>(group: Group): { [Name in keyof Group as CamelCase<Name>]: Group[Name] } =>
  Object.fromEntries(
    Object.entries(group).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as never;

function parsePrice(text: string): Micros {
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
