import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfigFiles } from '../config/files.ts';
import { loadConfig } from '../config/load.ts';
import { readApiKey, SecretMissingError } from '../config/secrets.ts';
import type { Logger } from '../observability/log.ts';

export interface ReloadOptions {
  /** As `--config` names it. */
  readonly path: string;
  readonly config: Config;
  readonly log: Logger;
  /** Whether the files are not what is in force, and cannot be. */
  readonly setInvalid?: (is: boolean) => void;
  /** Puts a configuration in force. Called again at the next check after a failure. */
  readonly apply: (next: Config, before: Config) => Promise<void>;
}

/**
 * Returns a function that compares the configuration's files with what is in force; call it every second. A change is
 * read when two checks in a row see the same text, because an editor may be halfway through a file. A valid one is put in
 * force; a bad one is logged once and changes nothing.
 */
export function createReload({
  path,
  config,
  log,
  apply,
  setInvalid = () => undefined,
}: ReloadOptions): () => Promise<void> {
  let current = config;
  let inForce = readText(path);
  let seen = inForce;
  let complaint = '';

  const complainOnce = (text: string, message: string): void => {
    if (`${text}\n${message}` === complaint) return;
    complaint = `${text}\n${message}`;
    log.error({ config: path }, `${message}\nThe worker continues with the configuration before the change.`);
  };

  return async () => {
    const text = readText(path);
    const isSettled = text === seen;
    seen = text;
    if (text === inForce) setInvalid(false);
    if (text === inForce || !isSettled) return;
    let next: Config;
    try {
      next = loadConfig(path);
      for (const { apiKey } of next.accounts.values()) readApiKey(apiKey);
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof SecretMissingError)) throw error;
      setInvalid(true);
      return complainOnce(text, error.message);
    }
    const { temporal, worker, ledgerUrl, admin } = current;
    const fixed = { temporal, worker, ledgerUrl, admin };
    const ignored = (Object.keys(fixed) as (keyof typeof fixed)[]).filter(
      (key) => !isDeepStrictEqual(fixed[key], next[key]),
    );
    const used = { ...next, ...fixed };
    try {
      await apply(used, current);
    } catch (error) {
      // Once: it is tried again at every check.
      if (complaint !== `apply ${text}`)
        log.warn({ error }, 'a part of the changed configuration is not in force yet; it is tried again');
      complaint = `apply ${text}`;
      return;
    }
    log.info({ config: path }, `the configuration was reloaded: ${describeChange(current, used)}`);
    if (ignored.length > 0) {
      const names = ignored.map((key) => (key === 'ledgerUrl' ? 'ledger' : key)).join(', ');
      log.warn({ config: path }, `changes of ${names} are not in force before the worker is restarted`);
    }
    // The worker was created for the watches of its start (worker.ts).
    const { minimum } = config.worker.adaptiveCrawls;
    if (config.watches.size <= minimum && current.watches.size <= minimum && used.watches.size > minimum)
      log.warn(
        { config: path },
        `this worker began with fewer watches and reads at most ${minimum} of the ${used.watches.size} at once; restart it so that it reads more`,
      );
    current = used;
    inForce = text;
    complaint = '';
  };
}

/** The files with their names; what cannot be read is text too, because loading reports it. */
function readText(path: string): string {
  try {
    return readConfigFiles(path)
      .map(({ file, text }) => `${file}\n${text}`)
      .join('\n');
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** "2 watches added (blog, news), 1 removed (shop), account main changed". */
function describeChange(before: Config, after: Config): string {
  const parts = [
    ...compare('account', before.accounts, after.accounts),
    ...compare('watch', before.watches, after.watches),
  ];
  return parts.length === 0 ? 'no setting of an account or a watch changed' : parts.join('; ');
}

const MOST_NAMES = 5;

function compare(what: string, before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const both = [...after.keys()].filter((id) => before.has(id));
  const changes = {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: both.filter((id) => !isDeepStrictEqual(before.get(id), after.get(id))),
  };
  return Object.entries(changes).flatMap(([change, ids]) => {
    if (ids.length === 0) return [];
    const names = ids.slice(0, MOST_NAMES).join(', ');
    return [`${what} ${change}: ${names}${ids.length > MOST_NAMES ? ` and ${ids.length - MOST_NAMES} more` : ''}`];
  });
}
