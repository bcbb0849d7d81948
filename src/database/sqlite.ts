import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivate } from '../files/make-private.ts';
import {
  type Changed,
  type Database,
  type DatabaseFailure,
  DatabaseUnavailableError,
  OutcomeUnknownError,
  type Queryable,
  throwNoRow,
} from './database.ts';
import { type Connection, groupCommit } from './group-commit.ts';
import { type Compiled, compile, type Query } from './sql.ts';
import { type Checkpointer, createCheckpointer } from './sqlite-checkpoint.ts';
import { createPrivateFile, holdFile, watchFile } from './sqlite-file.ts';
import { keepCompiled } from './sqlite-limit.ts';
import { readRows } from './sqlite-rows.ts';
import { takeTurns } from './take-turns.ts';

const PAGE_BYTES = 4_096;
/** How long SQLite itself waits, which holds this process: for the moment in which another process opens the file. */
const OPEN_TIMEOUT_MS = 5_000;

export interface SqliteOptions {
  /** FULL: a commit survives a power cut (money). NORMAL: it survives a crash of the process. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Page cache of each connection, in MiB. */
  readonly cacheMiB?: number;
  /** A write-ahead log of this length is copied into the file. */
  readonly logBytes?: number;
  /** So is a shorter one once nothing was committed for this long, in milliseconds: then the file alone is whole. */
  readonly idleMs?: number;
  /** How long a writer waits for a transaction of another process, in milliseconds. It is not held meanwhile. */
  readonly busyTimeoutMs?: number;
  /**
   * Transactions that wait for their turn share one commit, so one flush to the disk. Each is still whole or nothing
   * by itself, and durable when its promise resolves.
   */
  readonly groupCommit?: boolean;
  /** Holds the file for this process and takes it away from other users of the machine. A second holder fails. */
  readonly exclusive?: boolean;
}

/**
 * Opens (and creates) a SQLite file in WAL mode with one connection for writing and one for reading, so that a read
 * never sees a transaction that is still open. `:memory:` has one connection for both.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const { busyTimeoutMs = 5_000, logBytes = 64 * 1024 * 1024, idleMs = 10_000 } = options;
  const inMemory = path === ':memory:';
  if (!inMemory) createPrivateFile(path);
  const release = options.exclusive && !inMemory ? holdFile(path) : () => undefined;
  if (options.exclusive && !inMemory) makePrivate(path);
  const { writer, reader } = releaseOnError(release, () => {
    const writing = connect(path, options);
    writing.exec(`PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${logBytes}`);
    return { writer: writing, reader: inMemory ? writing : connect(path, options) };
  });
  const checkpointer = inMemory
    ? null
    : createCheckpointer(path, {
        ...{ logBytes, idleMs },
        onFailure: () => writer.exec(`PRAGMA wal_autocheckpoint = ${logBytes / PAGE_BYTES}`),
        copySmall() {
          turn = turn.then(() => copyLog(writer)).catch(() => undefined);
        },
      });
  const requireSameFile = inMemory ? () => undefined : watchFile(path);
  let turn: Promise<unknown> = Promise.resolve();

  /** Writers of this process queue here instead of meeting SQLITE_BUSY. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(() => (checkpointer === null ? work() : withCheckpoint(checkpointer, work)));
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function withCheckpoint<T>(
    { beforeTransaction, afterCommit }: Checkpointer,
    work: () => Promise<T>,
  ): Promise<T> {
    await beforeTransaction();
    try {
      return await work();
    } finally {
      afterCommit();
    }
  }

  /**
   * Waits for a writer of another process or connection without blocking the event loop: SQLite's own busy wait
   * would stop the very writer it waits for, when that one lives in this process.
   */
  async function whenFree<T>(work: () => T | Promise<T>): Promise<T> {
    requireSameFile();
    for (const end = Date.now() + busyTimeoutMs; ; ) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof BusyError)) throw error;
        if (Date.now() >= end)
          throw new DatabaseUnavailableError(
            `another process has been writing to the SQLite file for ${busyTimeoutMs / 1_000} s`,
            { cause: error, failure: 'file' },
          );
        await sleep(1 + Math.random() * 9);
      }
    }
  }

  async function transact<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    await whenFree(() => writer.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work(writer);
      writer.commit();
      return result;
    } catch (error) {
      writer.rollback();
      throw error;
    }
  }

  const bulkInTurn = takeTurns(1);
  const group = groupCommit(writer, whenFree, inTurn);

  return {
    dialect: 'sqlite',
    all: (query) => (inMemory ? inTurn(() => reader.all(query)) : reader.all(query)),
    get: (query) => (inMemory ? inTurn(() => reader.get(query)) : reader.get(query)),
    one: (query) => (inMemory ? inTurn(() => reader.one(query)) : reader.one(query)),
    run: (query) => inTurn(() => whenFree(() => writer.run(query))),
    runEach: (strings, rows) => inTurn(() => transact((tx) => tx.runEach(strings, rows))),
    tx(work, { bulk = false } = {}) {
      const once = () => (options.groupCommit ? group(work) : inTurn(() => transact(work)));
      return bulk ? bulkInTurn(once) : once();
    },
    async close() {
      await turn;
      await checkpointer?.close();
      writer.close();
      if (!inMemory) reader.close();
      release();
    },
  };
}

/** One that meets another writer is left to the next time. */
const copyLog = (writer: Connection): void => writer.exec('PRAGMA wal_checkpoint(PASSIVE)');

function releaseOnError<T>(release: () => void, work: () => T): T {
  try {
    return work();
  } catch (error) {
    release();
    throw error;
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly toRow: ReturnType<typeof readRows>;
}

const TOTAL_CHANGES: Compiled = { text: 'SELECT total_changes() AS changes', values: [] };

function connect(path: string, options: SqliteOptions): Connection {
  const { synchronous = 'FULL', cacheMiB = 64 } = options;
  const db = unavailable(() => new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS, enableForeignKeyConstraints: true }));
  unavailable(() =>
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -${cacheMiB * 1024};
      PRAGMA temp_store = MEMORY;`),
  );
  const statements = new Map<string, Prepared>();

  function prepared({ text }: Compiled): Prepared {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = db.prepare(keepCompiled(text));
    const made = { statement, toRow: readRows(statement, text) };
    statements.set(text, made);
    return made;
  }

  function getRow<Row>({ text, values }: Compiled): Row | undefined {
    const { statement, toRow } = prepared({ text, values });
    const row = statement.get(...values) as object | undefined;
    return row === undefined ? undefined : (toRow(row) as Row);
  }

  /** Rows that this connection has changed so far. */
  const countChanges = (): number => Number(getRow<{ changes: number }>(TOTAL_CHANGES)?.changes);

  return {
    dialect: 'sqlite',
    async all<Row>(query: Query<Row>) {
      const compiled = compile(query, 'sqlite');
      return unavailable(() => {
        const { statement, toRow } = prepared(compiled);
        const rows = statement.all(...compiled.values) as object[];
        return rows.map((row) => toRow(row) as Row);
      });
    },
    async get<Row>(query: Query<Row>) {
      const compiled = compile(query, 'sqlite');
      return unavailable(() => getRow<Row>(compiled));
    },
    async one<Row>(query: Query<Row>) {
      const compiled = compile(query, 'sqlite');
      return unavailable(() => getRow<Row>(compiled)) ?? throwNoRow(query);
    },
    async run(query: Query): Promise<Changed> {
      const compiled = compile(query, 'sqlite');
      return unavailable(() => ({ changes: Number(prepared(compiled).statement.run(...compiled.values).changes) }));
    },
    async runEach(strings, rows) {
      const [first] = rows;
      if (first === undefined) return { changes: 0 };
      return unavailable(() => {
        const { statement } = prepared(compile({ strings, parts: first }, 'sqlite'));
        const before = countChanges();
        // Without the object that `run` makes of each result, a million rows take half a second less.
        for (const row of rows) statement.get(...row);
        return { changes: countChanges() - before };
      });
    },
    exec: (text) => unavailable(() => db.exec(text)),
    commit() {
      try {
        db.exec('COMMIT');
      } catch (error) {
        // The frame of the commit may be in the log although the flush failed: a crash now would bring it back.
        if ((((error as { errcode?: number }).errcode ?? 0) & 0xff) === IOERR) {
          throw new OutcomeUnknownError(`SQLite could not flush a commit: ${(error as Error).message}`, {
            cause: error,
            failure: 'full',
          });
        }
        unavailable(() => {
          throw error;
        });
      }
    },
    rollback() {
      if (db.isTransaction) db.exec('ROLLBACK');
    },
    close: () => db.close(),
  };
}

const IOERR = 10;
/** SQLITE_BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB: the storage, not the query. */
const FAILURES = new Map<number, DatabaseFailure>([
  [5, 'file'],
  [6, 'file'],
  [8, 'file'],
  [IOERR, 'full'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'file'],
  [15, 'file'],
  [26, 'damaged'],
]);

class BusyError extends DatabaseUnavailableError {}

function unavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    const failure = FAILURES.get(code);
    if (failure === undefined) throw error;
    const Unavailable = code === 5 ? BusyError : DatabaseUnavailableError;
    throw new Unavailable(`the SQLite file cannot be used: ${(error as Error).message}`, { cause: error, failure });
  }
}
