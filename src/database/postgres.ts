import { createRequire } from 'node:module';
import type pg from 'pg';
import {
  type Changed,
  type Database,
  DatabaseUnavailableError,
  DatabaseUrlError,
  OutcomeUnknownError,
  type Queryable,
  throwNoRow,
} from './database.ts';
import { isAnswered, isConflict, isUnavailable } from './postgres-failure.ts';
import { chooseHost, splitHosts } from './postgres-hosts.ts';
import { addPassword } from './postgres-password.ts';
import { compile, type Query } from './sql.ts';
import { takeTurns } from './take-turns.ts';

/** int8 comes back as a number; one that JavaScript cannot hold exactly is an error, never a rounded amount. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer out of the safe range: ${text}`);
  return value;
}

/** Loaded when a Postgres is opened: a command on SQLite need not pay for it. */
const loadDriver = () => createRequire(import.meta.url)('pg') as typeof pg;

const makeTypes = ({ builtins, getTypeParser }: typeof pg.types): pg.CustomTypesConfig => ({
  getTypeParser(oid, format) {
    if (oid === builtins.INT8 || oid === builtins.NUMERIC) return safeInteger;
    return getTypeParser(oid, format);
  },
});

/** Runs of a transaction or a statement that meets conflicts. The last one fails with a DatabaseUnavailableError. */
const MAX_RUNS = 5;

/**
 * A newer program added a column to a table of which this connection prepared `SELECT *`: Postgres refuses that statement on
 * this connection from then on. Nothing of the transaction was done.
 */
const isStalePlan = (error: unknown): error is Error =>
  error instanceof Error &&
  (error as { code?: string }).code === '0A000' &&
  error.message === 'cached plan must not change result type';

/** How long Postgres may take, in milliseconds. What takes longer fails with a DatabaseUnavailableError. */
export interface PostgresLimits {
  readonly statementMs: number;
  /** Waiting for a row or table that another transaction holds. */
  readonly lockMs: number;
  /** A transaction without a statement: its process is frozen or its network is gone, and it holds its locks. */
  readonly idleMs: number;
}

/** Of the connections, for transactions that write thousands of rows. More of them at once wait for each other in Postgres. */
const BULK_SHARE = 0.25;
/** Long enough for the largest statement of a ledger. */
const DEFAULT_LIMITS: PostgresLimits = { statementMs: 300_000, lockMs: 60_000, idleMs: 300_000 };
/** Postgres' own value for no limit. */
const NO_LIMITS: PostgresLimits = { statementMs: 0, lockMs: 0, idleMs: 0 };
/** Beyond the limit of a statement the server should have answered: the network swallows its packets. */
const NETWORK_MS = 2_000;
const CLOSE_MS = 5_000;

/**
 * Opens Postgres by URL. Of several hosts the first that takes writes is used. `?schema=NAME` puts every table there (it
 * is created by the migrations), `?pool=N` sets the number of connections (10 by default). `?pooler=transaction`: behind
 * a pooler such as PgBouncer in transaction mode, which gives each transaction any of its connections.
 */
export function openPostgres(url: string, limits: PostgresLimits = DEFAULT_LIMITS): Database {
  const parsed = splitHosts(url);
  const schema = parsed[0].searchParams.get('schema');
  const max = Number(parsed[0].searchParams.get('pool') ?? 10);
  const pooler = parsed[0].searchParams.get('pooler');
  for (const { searchParams } of parsed) for (const name of OWN_PARAMETERS) searchParams.delete(name);
  addPassword(parsed, process.env.PGPASSWORD_FILE);
  if (schema !== null && !/^[a-z_][a-z0-9_]*$/.test(schema)) {
    throw new DatabaseUrlError(`schema=${schema} is not a plain lower-case name`);
  }
  if (!(Number.isSafeInteger(max) && max > 0)) throw new DatabaseUrlError('pool= is not a number of connections');
  if (pooler !== null && pooler !== 'transaction')
    throw new DatabaseUrlError(`pooler=${pooler}: write pooler=transaction`);
  const driver = loadDriver();
  const urls = parsed.map(({ href }) => href);
  const hosts = urls.length > 1 ? chooseHost(driver.Client, urls) : null;
  const pool = new driver.Pool({
    connectionString: parsed[0].href,
    ...(hosts === null ? {} : { Client: hosts.Client, onConnect: hosts.refuseStandby }),
    max,
    types: makeTypes(driver.types),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    ...(limits.statementMs === 0 ? {} : { query_timeout: limits.statementMs + NETWORK_MS }),
    ...(pooler === null ? toSession(limits, schema) : {}),
  });
  // A connection that breaks while idle is replaced by the pool. One that breaks within a transaction rejects the
  // transaction's next statement. Without a listener for each of them the error would end the process: the pool takes
  // its own off a client while that is checked out, so ours is put on once, when the connection is made.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  const connect = (): Promise<pg.PoolClient> =>
    unavailable(() => (hosts === null ? pool.connect() : hosts.tryHosts(() => pool.connect())));

  const bulkInTurn = takeTurns(Math.max(1, Math.floor(max * BULK_SHARE)));
  /** How often work may run that ended so. Each connection of the pool may have a stale plan. */
  const countRuns = (error: unknown): number => {
    if (isStalePlan(error)) return Math.max(MAX_RUNS, max + 1);
    return isConflict(error) || isConflict((error as Error).cause) ? MAX_RUNS : 1;
  };
  const begin = pooler === null ? 'BEGIN' : `BEGIN; ${toLocalSettings(limits, schema)}`;

  /** Runs a transaction, or a statement without one, again where that is safe and helps: nothing of it was done. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    for (let run = 1; ; run++) {
      try {
        return await work();
      } catch (error) {
        if (run >= countRuns(error)) throw error;
      }
    }
  }

  /** A statement without a transaction, on a connection of its own. */
  async function query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const client = await connect();
    let failure: Error | undefined;
    try {
      return await client.query<Row>(config);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }

  async function transact<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await connect();
    let broken: Error | undefined;
    try {
      await unavailable(() => client.query(begin));
      const result = await work(queryable(client, { named: pooler === null }));
      await commit(client);
      return result;
    } catch (error) {
      // A connection that lost an answer would answer the ROLLBACK late or never: it is closed, which rolls back.
      // One to a server that takes no writes any more would fail again: the next one goes to another host.
      if (isConnectionLost(error) || isReadOnly(error) || isStalePlan(error)) broken = error;
      else {
        await client.query('ROLLBACK').catch((failure: Error) => {
          broken = failure;
        });
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }

  const transactAgain: Database['tx'] = (work) => again(() => transact(work));

  async function session<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    const client = new (hosts?.Client ?? driver.Client)({
      connectionString: parsed[0].href,
      types: makeTypes(driver.types),
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      ...toSession(NO_LIMITS, schema),
    });
    client.on('error', () => undefined);
    try {
      await unavailable(() => client.connect());
      return await work(queryable(client, { named: false }));
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  return {
    // Behind a pooler a statement alone would run with the settings of another program.
    ...(pooler === null
      ? queryable({ query: (config) => again(() => query(config)) }, { named: true })
      : inTransactions(transactAgain)),
    ...(pooler === null ? { session } : {}),
    connections: max,
    getPool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    ...(schema === null ? {} : { schema }),
    tx: (work, { bulk = false } = {}) => (bulk ? bulkInTurn(() => transactAgain(work)) : transactAgain(work)),
    // Ends the idle connections at once and the others when they are free; a network that answers nothing ends neither.
    close: () => Promise.race([pool.end(), new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref())]),
  };
}

/** Parameters of the URL that are not Postgres' own. */
const OWN_PARAMETERS = ['schema', 'pool', 'pooler'];

/** Settings that a connection keeps until it closes. */
const toSession = (limits: PostgresLimits, schema: string | null): pg.PoolConfig => ({
  statement_timeout: limits.statementMs,
  lock_timeout: limits.lockMs,
  idle_in_transaction_session_timeout: limits.idleMs,
  ...(schema === null ? {} : { options: `-c search_path=${schema}` }),
});

/** The same for one transaction. */
const toLocalSettings = ({ statementMs, lockMs, idleMs }: PostgresLimits, schema: string | null): string =>
  [
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
    ...(schema === null ? [] : [`SET LOCAL search_path = ${schema}`]),
  ].join('; ');

/** Each statement in a transaction of its own. */
const inTransactions = (transact: Database['tx']): Queryable => ({
  dialect: 'postgres',
  all: (asked) => transact((tx) => tx.all(asked)),
  get: (asked) => transact((tx) => tx.get(asked)),
  one: (asked) => transact((tx) => tx.one(asked)),
  run: (asked) => transact((tx) => tx.run(asked)),
  runEach: (strings, rows) => transact((tx) => tx.runEach(strings, rows)),
});

/** One name per query text, so that each connection parses and plans a query once. */
const names = new Map<string, string>();

function getStatementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `q${names.size}`;
    names.set(text, name);
  }
  return name;
}

/** What a connection and a pool have in common. */
interface Querying {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

/** The same memory, as the driver wants it. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** `named`: the connection keeps the plan of a statement. A pooler may give the next transaction another connection. */
function queryable(client: Querying, { named }: { readonly named: boolean }): Queryable {
  async function query<Row>(asked: Query<Row>): Promise<{ rows: Row[]; rowCount: number | null }> {
    const { text, values } = compile(asked, 'postgres');
    const bound = values.map((value) => (value instanceof Uint8Array ? toBuffer(value) : value));
    const name = named ? { name: getStatementName(text) } : {};
    return unavailable(() => client.query<never>({ ...name, text, values: bound }));
  }
  return {
    dialect: 'postgres',
    all: async (asked) => (await query(asked)).rows,
    get: async (asked) => (await query(asked)).rows[0],
    one: async (asked) => (await query(asked)).rows[0] ?? throwNoRow(asked),
    run: async (asked): Promise<Changed> => ({ changes: (await query(asked)).rowCount ?? 0 }),
    async runEach(strings, rows) {
      let changes = 0;
      for (const parts of rows) changes += (await query({ strings, parts })).rowCount ?? 0;
      return { changes };
    },
  };
}

/** PgBouncer's refusal of the limits that a connection brings. */
const POOLER = /unsupported startup parameter/;
const POOLER_ADVICE =
  '. The address is that of a pooler (PgBouncer): add ?pooler=transaction to it, or use the address of Postgres itself. ' +
  'Nothing was written';

/** SQLSTATE of a server without space. */
const DISK_FULL = '53100';

/** Why Postgres cannot be used; `lost` when its answer to the last statement is lost. */
class PostgresUnavailableError extends DatabaseUnavailableError {
  readonly lost: boolean;

  constructor(cause: Error & { code?: string }) {
    super(`Postgres cannot be used: ${cause.message}${POOLER.test(cause.message) ? POOLER_ADVICE : ''}`, {
      cause,
      failure: cause.code === DISK_FULL ? 'full' : 'away',
    });
    this.lost = !isAnswered(cause);
  }
}

const isConnectionLost = (error: unknown): error is Error =>
  error instanceof OutcomeUnknownError || (error instanceof PostgresUnavailableError && error.lost);

const isReadOnly = (error: unknown): error is Error =>
  error instanceof PostgresUnavailableError && (error.cause as { code?: string }).code === '25006';

async function unavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnavailable(error) ? new PostgresUnavailableError(error) : error;
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await unavailable(() => client.query('COMMIT'));
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    throw new OutcomeUnknownError(`Postgres did not confirm a COMMIT, which may have taken effect: ${error.message}`, {
      cause: error,
    });
  }
}
