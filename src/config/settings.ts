import { formatTry, type Micros, parseTry } from '../../contract/money.ts';
import type { Expectation } from './expected.ts';
import { toYaml } from './fault.ts';
import type { LoadedConfig } from './load.ts';
import { maskSecrets } from './mask-secrets.ts';
import { absoluteSource, toLedgerUrl, toSecret } from './resolve.ts';
import { Account } from './schema/account.ts';
import { Admin } from './schema/admin.ts';
import { Notify } from './schema/notify.ts';
import { Report } from './schema/report.ts';
import { Retention } from './schema/retention.ts';
import { Temporal } from './schema/temporal.ts';
import { PATTERN } from './schema/values.ts';
import { Watch } from './schema/watch.ts';
import { Worker } from './schema/worker.ts';
import type { SecretReference } from './schema.ts';
import { ConfigSchema } from './schema.ts';
import { readSecret, SecretMissingError } from './secrets.ts';
import type { Path } from './yaml-file.ts';

/** A setting in force and where it comes from. */
export interface Setting {
  readonly key: string;
  /** As a configuration writes it, without secrets; null when it is not set and has no default. */
  readonly value: string | null;
  readonly origin: 'file' | 'environment' | 'default';
  /** Of origin `file`. */
  readonly file: string | null;
  readonly line: number | null;
}

/** What the environment says where the configuration does not. */
export interface Environment {
  readonly address: string | null;
  readonly namespace: string | null;
}

type Tree = Readonly<Record<string, unknown>>;

/** Absent, these switch something off; the defaults inside count only when they are written. */
const SWITCHES = ['schedule', 'index_check', 'admin', 'runs', 'report', 'retention', 'tls', 'encryption'];

/** Every setting of a configuration, in the order of the reference page. */
export function listSettings({ config, merged, folder }: LoadedConfig, environment: Environment): Setting[] {
  const { raw, locate } = merged;
  const settings: Setting[] = [];
  const add = (path: Path, value: unknown, found: Path | null) => {
    const where = found === null ? null : locate(found, 'value');
    settings.push({
      key: path.join('.'),
      value: value === undefined || value === null ? null : redact(value),
      origin: where === null ? 'default' : 'file',
      file: where?.file ?? null,
      line: where?.line ?? null,
    });
  };
  /** `at`: where the setting is written, such as `defaults`; null when it is not. */
  const walk = (path: Path, schema: Expectation, value: unknown, at: Path | null): void => {
    const inner = Object.entries(schema.properties ?? {});
    const key = path.at(-1) ?? '';
    const isOff = value === undefined && (SWITCHES.includes(key) || !hasDefault(schema));
    if (inner.length === 0 || isOff) {
      const shown = toShown(key, value ?? (schema as { default?: unknown }).default);
      add(path, toNormal(schema, shown), value === undefined ? null : at);
      return;
    }
    for (const [name, each] of inner) {
      const own = (value as Tree | undefined)?.[name];
      walk([...path, name], each, own, at === null ? null : [...at, name]);
    }
  };
  const toShown = (key: string, value: unknown): unknown => {
    if (value === undefined) return undefined;
    if (key === 'api_key' || key === 'secret' || (key === 'key' && typeof value === 'object'))
      return describeSecret(toSecret(value as SecretReference, folder));
    if (key === 'sitemaps') return (value as string[]).map((source) => absoluteSource(source, folder));
    if (key === 'channels') return describeChannels(value as Tree);
    if (key === 'ping')
      return typeof value === 'string' ? hidePath(value) : describeSecret(toSecret(value as SecretReference, folder));
    if (key === 'headers') return hideHeaders(value as Headers, folder);
    return value;
  };

  for (const [id, account] of Object.entries(raw.accounts))
    walk(['accounts', id], Account as unknown as Expectation, account, ['accounts', id]);
  for (const { id, project, hosts } of config.watches.values()) {
    const own = raw.watches[id] as Tree;
    for (const [name, schema] of Object.entries(Watch.properties)) {
      const path = ['watches', id, name];
      const inherited = own[name] === undefined ? (raw.defaults as Tree | undefined)?.[name] : undefined;
      if (name === 'project' && own[name] === undefined) add(path, project, null);
      else if (name === 'hosts' && own[name] === undefined) add(path, hosts ?? ['*'], null);
      else
        walk(
          path,
          schema as unknown as Expectation,
          own[name] ?? inherited,
          inherited === undefined ? path : ['defaults', name],
        );
    }
  }
  for (const name of ['address', 'namespace'] as const) {
    const path = ['temporal', name];
    const own = raw.temporal?.[name];
    const { [name]: other } = environment;
    if (own !== undefined && own !== '') add(path, own, path);
    else if (other === null) add(path, name === 'address' ? 'a local server' : 'default', null);
    else settings.push({ key: path.join('.'), value: redact(other), origin: 'environment', file: null, line: null });
  }
  for (const name of ['tls', 'api_key', 'encryption'] as const) {
    const own = raw.temporal?.[name];
    const path = ['temporal', name];
    walk(path, Temporal.properties[name] as unknown as Expectation, own, own === undefined ? null : path);
  }
  walk(['worker'], Worker as unknown as Expectation, raw.worker, ['worker']);
  const ledger = raw.ledger?.url;
  add(['ledger', 'url'], toLedgerUrl(ledger ?? LEDGER_URL, folder), ledger === undefined ? null : ['ledger', 'url']);
  walk(['admin'], Admin as unknown as Expectation, raw.admin, ['admin']);
  walk(['notify'], Notify as unknown as Expectation, raw.notify, ['notify']);
  walk(['report'], Report as unknown as Expectation, raw.report, ['report']);
  walk(['retention'], Retention as unknown as Expectation, raw.retention, ['retention']);
  return settings;
}

const LEDGER_URL = (ConfigSchema.properties.ledger.properties.url as { default?: string }).default ?? '';

const hasDefault = (schema: Expectation & { default?: unknown }): boolean =>
  schema.default !== undefined || Object.values(schema.properties ?? {}).some(hasDefault);

function describeSecret(secret: SecretReference): string {
  const where = 'env' in secret ? `{ env: ${secret.env} }` : `{ file: ${secret.file} }`;
  try {
    readSecret(secret);
    return `${where} (is set)`;
  } catch (error) {
    if (!(error instanceof SecretMissingError)) throw error;
    return `${where} (${'env' in secret ? 'is not set' : 'cannot be read'})`;
  }
}

/** The form of each channel: its address may hold a token. */
const describeChannels = (channels: Tree): Tree =>
  Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => [name, Object.keys(channel as Tree).join(', ')]),
  );

/** Monitors put the token of a check into the path. */
const hidePath = (address: string): string => `${new URL(address).origin}/[secret]`;

/** Amounts as the connector writes them everywhere: `500.00 TRY`, whatever form the file has. */
function toNormal(schema: Expectation, value: unknown): unknown {
  if (value === undefined) return undefined;
  const isGroup = typeof value === 'object' && !Array.isArray(value);
  const branch = schema.anyOf?.find(({ type }) => (type === 'object') === isGroup);
  if (branch !== undefined) return toNormal(branch, value);
  if (schema.pattern === PATTERN.amount) return formatTry(parseTry(value as string) as Micros);
  if (!isGroup) return value;
  return Object.fromEntries(
    Object.entries(value as Tree).map(([name, inner]) => [name, toNormal(schema.properties?.[name] ?? {}, inner)]),
  );
}

type Headers = Readonly<Record<string, string | SecretReference>>;

/** A value that the file has in full may be a secret; one that it refers to is not. */
const hideHeaders = (headers: Headers, folder: string): Tree =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? '[secret]' : toSecret(value, folder),
    ]),
  );

/** The folders of absolute paths, not of addresses: a folder may look like a key without being one. */
const listFolders = (text: string): string[] =>
  [...text.matchAll(/(?<=^|[\s:'"])(?:\/[^/\s]+)+\//g)].map(([folder]) => folder);

function redact(value: unknown): string {
  const text = typeof value === 'string' ? value : toYaml(value);
  const masked = text.replace(/\/\/[^/@\s]*@/g, '//[secret]@');
  return maskSecrets(masked, { keep: listFolders(masked) });
}
