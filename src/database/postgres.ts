import pg from 'pg';
import {
  type Changed,
  type Database,
  DatabaseUnavailableError,
  DatabaseUrlError,
  type Queryable,
  throwNoRow,
} from './database.ts';
import { compile, type Query } from './sql.ts';

/** int8 comes back as a number; one that JavaScript cannot hold exactly is an error, never a rounded amount. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer out of the safe range: ${text}`);
  return value;
}

const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return safeInteger;
    return pg.types.getTypeParser(oid, format);
  },
};

/** Deadlock and serialisation failure: the transaction did nothing and may run again. */
const RUN_AGAIN = new Set(['40P01', '40001']);
const MAX_RUNS = 5;

/**
 * Opens Postgres by URL. `?schema=NAME` puts every table there (it is created by the migrations), `?pool=N` sets the
 * number of connections (10 by default).
 */
export function openPostgres(url: string): Database {
  const parsed = URL.parse(url);
  if (parsed === null)
    throw new DatabaseUrlError('the Postgres URL cannot be parsed: write postgres://USER@HOST:PORT/DATABASE');
  const schema = parsed.searchParams.get('schema');
  const max = Number(parsed.searchParams.get('pool') ?? 10);
  parsed.searchParams.delete('schema');
  parsed.searchParams.delete('pool');
  if (schema !== null && !/^[a-z_][a-z0-9_]*$/.test(schema)) {
    throw new DatabaseUrlError(`schema=${schema} is not a plain lower-case name`);
  }
  const pool = new pg.Pool({
    connectionString: parsed.href,
    max,
    types,
    connectionTimeoutMillis: 5_000,
    ...(schema === null ? {} : { options: `-c search_path=${schema}` }),
  });
  // A connection that breaks while idle is replaced by the pool. One that breaks within a transaction rejects the
  // transaction's next statement. Without a listener for each of them the error would end the process: the pool takes
  // its own off a client while that is checked out, so ours is put on once, when the connection is made.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function transact<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await unavailable(() => pool.connect());
    let broken: Error | undefined;
    try {
      await unavailable(() => client.query('BEGIN'));
      const result = await work(queryable(client));
      await unavailable(() => client.query('COMMIT'));
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    ...queryable(pool),
    ...(schema === null ? {} : { schema }),
    async tx<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
      for (let run = 1; ; run++) {
        try {
          return await transact(work);
        } catch (error) {
          if (run >= MAX_RUNS || !RUN_AGAIN.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    },
    close: () => pool.end(),
  };
}

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

function queryable(client: pg.Pool | pg.PoolClient): Queryable {
  async function query<Row>(asked: Query<Row>): Promise<{ rows: Row[]; rowCount: number | null }> {
    const { text, values } = compile(asked, 'postgres');
    const bound = values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
    return unavailable(() => client.query<never>({ name: getStatementName(text), text, values: bound }));
  }
  return {
    dialect: 'postgres',
    all: async (asked) => (await query(asked)).rows,
    get: async (asked) => (await query(asked)).rows[0],
    one: async (asked) => (await query(asked)).rows[0] ?? throwNoRow(asked),
    run: async (asked): Promise<Changed> => ({ changes: (await query(asked)).rowCount ?? 0 }),
  };
}

/** Class 08 connection, 53 resources, 57 shut-down and cancel; and sockets that broke before an answer. */
const UNAVAILABLE = /^(08|53|57|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;

async function unavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (
      UNAVAILABLE.test(code) ||
      /Connection terminated|connection error and is not queryable|timeout exceeded when trying to connect/.test(
        message,
      )
    ) {
      throw new DatabaseUnavailableError(`Postgres cannot be used: ${message}`, { cause: error });
    }
    throw error;
  }
}
