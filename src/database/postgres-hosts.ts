import type pg from 'pg';
import { DatabaseUrlError } from './database.ts';

/** The host and port of `postgres://user@a:5432,b:5432/name`: what stands between the user and the path. */
const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** One URL for each host of a Postgres URL, in order. Throws a DatabaseUrlError when it is no such URL. */
export function splitHosts(url: string): readonly [URL, ...URL[]] {
  const [, before = '', hosts = '', after = ''] = HOSTS.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => URL.parse(before + host + after));
  if (first === undefined || first === null || others.some((other) => other === null)) {
    throw new DatabaseUrlError(
      'the Postgres URL cannot be parsed: write postgres://USER@HOST:PORT/DATABASE, with several hosts ' +
        'postgres://USER@HOST:PORT,HOST:PORT/DATABASE',
    );
  }
  return [first, ...others.filter((other) => other !== null)];
}

/** A server that only reads, as the one that lost its role in a failover. Postgres' own code for a write to it. */
class StandbyError extends Error {
  readonly code = '25006';
}

/** The pool has no free connection: this says nothing of the host. */
const NO_FREE_CONNECTION = 'timeout exceeded when trying to connect';

export interface HostChoice {
  /** Connects to the host that is in use. */
  readonly Client: typeof pg.Client;
  /** For a new connection: throws when its server only reads. */
  refuseStandby(client: pg.ClientBase): Promise<void>;
  /** Runs `connect` once for each host at most. Moves on to the next one when a host does not answer or only reads. */
  tryHosts<T>(connect: () => Promise<T>): Promise<T>;
}

/**
 * Uses the first of several hosts that answers and takes writes, like `target_session_attrs=read-write` of Postgres' own
 * library. All new connections go to the same one until it fails.
 */
export function chooseHost(Base: typeof pg.Client, urls: readonly string[]): HostChoice {
  let current = 0;
  return {
    Client: class extends Base {
      constructor(config: pg.ClientConfig) {
        super({ ...config, connectionString: urls[current] });
      }
    },
    async refuseStandby(client) {
      const { rows } = await client.query<{ reads: boolean }>(
        "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS reads",
      );
      if (rows[0]?.reads === true) throw new StandbyError('the server takes no writes');
    },
    async tryHosts(connect) {
      for (let attempt = 1; ; attempt++) {
        const tried = current;
        try {
          return await connect();
        } catch (error) {
          if ((error as Error).message === NO_FREE_CONNECTION) throw error;
          // Of several connections that fail at the same time one moves on.
          if (current === tried) current = (tried + 1) % urls.length;
          if (attempt >= urls.length) throw error;
        }
      }
    },
  };
}
