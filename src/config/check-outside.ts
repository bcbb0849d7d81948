import { accessSync, closeSync, constants, existsSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Complain } from './check-references.ts';
import { type Fault, write } from './fault.ts';
import { absoluteSource, isAddress, toSecret } from './resolve.ts';
import type { RawConfig, SecretReference } from './schema.ts';
import { readApiKey, readSecret, SecretMissingError } from './secrets.ts';

/**
 * What only runs need: secrets and sitemap files that can be read. Checked by `courier validate`; a worker starts without,
 * because they may come and go while it runs.
 */
export function checkOutside(
  { accounts, watches, notify, temporal, admin, report, retention, ledger }: RawConfig,
  folder: string,
  complain: Complain,
): void {
  const read = (path: readonly string[], secret: SecretReference, take = readSecret) => {
    try {
      take(toSecret(secret, folder));
    } catch (error) {
      if (!(error instanceof SecretMissingError)) throw error;
      complain(path, { says: error.message });
    }
  };
  for (const [id, account] of Object.entries(accounts))
    if (isSecret(account.api_key)) read(['accounts', id, 'api_key'], account.api_key, readApiKey);
  if (isSecret(temporal?.api_key)) read(['temporal', 'api_key'], temporal.api_key, readApiKey);
  const { key: payloadKey, former_keys: formerKeys = [] } = temporal?.encryption ?? {};
  if (isSecret(payloadKey)) read(['temporal', 'encryption', 'key'], payloadKey);
  for (const [at, key] of formerKeys.entries())
    if (key !== null && isSecret(key)) read(['temporal', 'encryption', 'former_keys', String(at)], key);
  for (const key of ['ca', 'cert', 'key'] as const) {
    const file = temporal?.tls?.[key];
    const problem = file === undefined ? null : findUnreadable(resolvePath(folder, file));
    if (problem !== null) complain(['temporal', 'tls', key], { says: problem });
  }
  if (isSecret(admin?.runs?.secret)) read(['admin', 'runs', 'secret'], admin.runs.secret);
  for (const [path, secret] of listNotifySecrets(notify)) read(path, secret);
  checkFolders({ report, retention, ledger }, folder, complain);
  for (const [id, { headers = {}, sitemaps = [], ping }] of Object.entries(watches)) {
    if (typeof ping === 'object' && isSecret(ping)) read(['watches', id, 'ping'], ping);
    for (const [name, value] of Object.entries(headers))
      if (typeof value !== 'string' && isSecret(value)) read(['watches', id, 'headers', name], value);
    for (const [at, source] of sitemaps.entries()) {
      const problem = source === null ? null : findMissingFile(source, folder);
      if (problem !== null) complain(['watches', id, 'sitemaps', String(at)], problem);
    }
  }
}

/**
 * Folders in which a worker writes. The user that checks a configuration may be another one than the one that runs it, so each
 * problem is a warning.
 */
function checkFolders(
  { report, retention, ledger }: { [Section in 'report' | 'retention' | 'ledger']: RawConfig[Section] | undefined },
  folder: string,
  complain: Complain,
): void {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(ledger?.url ?? '')?.[1];
  const foreign = file === undefined ? null : findForeignFile(resolvePath(folder, file));
  if (foreign !== null)
    complain(
      ['ledger', 'url'],
      { says: `${file} ${foreign}; name a file of its own, or bring the ledger back ("courier restore")` },
      'value',
      'warning',
    );
  for (const [path, written] of [
    [['report', 'folder'], report?.folder],
    [['retention', 'archive'], retention?.archive],
    [['ledger', 'url'], file === undefined ? undefined : dirname(file)],
  ] as const) {
    const why = written === undefined ? null : findUnwritable(resolvePath(folder, written));
    if (why !== null)
      complain(path, { says: `${written} cannot be written (${why}); name another folder` }, 'value', 'warning');
  }
}

/** Why a file that exists is not a ledger; null when it may be one. */
function findForeignFile(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) return 'is not a file';
  const start = Buffer.alloc(SQLITE.length);
  const opened = openSync(file, 'r');
  try {
    const length = readSync(opened, start);
    return length === 0 || start.toString('latin1') === SQLITE ? null : 'is a file of another kind, or damaged';
  } finally {
    closeSync(opened);
  }
}

const SQLITE = 'SQLite format 3\0';

/** Types of file systems that hold no files of people (statfs(2)): proc and sysfs. */
const NO_DISK = [0x9fa0, 0x62656572];

/** Why a folder, or the first one above it that exists, cannot be written; null when it can. */
function findUnwritable(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'it is a file';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return NO_DISK.includes(statfsSync(folder).type) ? 'it is of the kernel' : null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(folder);
    return code === 'ENOENT' && above !== folder ? findUnwritable(above) : (code ?? null);
  }
}

/** The secrets of channels and of the worker's ping, with where they are named. */
function listNotifySecrets(notify: RawConfig['notify']): [readonly string[], SecretReference][] {
  const found: [readonly string[], SecretReference][] = [];
  const visit = (path: readonly string[], value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    if (isSecret(value as SecretReference)) found.push([path, value as SecretReference]);
    else for (const [name, inner] of Object.entries(value)) visit([...path, name], inner);
  };
  visit(['notify'], { channels: notify?.channels, ping: notify?.ping });
  return found;
}

/** A secret with a mistake is absent, or has lost the part that is wrong. */
const isSecret = (secret: SecretReference | undefined): secret is SecretReference =>
  secret !== undefined && ('env' in secret || 'file' in secret);

function findUnreadable(file: string): string | null {
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return `${file} cannot be read (${(error as NodeJS.ErrnoException).code}); correct its path or permissions`;
  }
}

function findMissingFile(source: string, folder: string): Fault | null {
  if (isAddress(source) && !/^file:/i.test(source)) return null;
  const file = isAddress(source) ? fileURLToPath(source) : absoluteSource(source, folder);
  if (existsSync(file))
    return statSync(file).isDirectory() ? { says: `"${source}" is a folder; name the files of the sitemaps` } : null;
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:\d+)?\/\S*$/i.test(source))
    return {
      says: `"${source}" is not a whole address, and no such file exists`,
      proposals: [write([`https://${source}`])],
    };
  return {
    says: `"${source}": this file does not exist (${file}); correct the path, or write the address of a sitemap`,
  };
}
