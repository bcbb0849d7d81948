import type { Dialect, Query, Value } from './sql.ts';

/** Connections of a pool, and who waits for one. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface Changed {
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/** What can be asked of a connection, inside or outside of a transaction. */
export interface Queryable {
  readonly dialect: Dialect;
  all<Row>(query: Query<Row>): Promise<Row[]>;
  get<Row>(query: Query<Row>): Promise<Row | undefined>;
  /** The one row of an aggregate or RETURNING. Throws a NoRowError when there is none: a defect of the caller. */
  one<Row>(query: Query<Row>): Promise<Row>;
  run(query: Query): Promise<Changed>;
  /** Runs one statement for each row of its values. Returns the sum of the changes. */
  runEach(strings: Query['strings'], rows: readonly (readonly Value[])[]): Promise<Changed>;
}

export interface TransactionOptions {
  /**
   * It writes thousands of rows. Of such transactions a few run at a time, one on SQLite: the others wait without a
   * connection and without a place in the queue, so that the crawls of large sites do not hold up what sends and polls.
   */
  readonly bulk?: boolean;
}

/**
 * A database. On SQLite the transactions of a process take turns and see each other's results; on Postgres they run
 * side by side (READ COMMITTED), so what must be unique or not negative is said by an index, a CHECK or a conditional
 * UPDATE, never by a read that came before.
 */
export interface Database extends Queryable {
  /** The Postgres schema that holds the tables, when the URL names one. */
  readonly schema?: string;
  /** Statements that can run at the same time, on Postgres. */
  readonly connections?: number;
  /**
   * Runs `work` on a connection of its own: without a transaction, and for as long as a statement takes. Only on Postgres,
   * and not behind a pooler, which would give each statement another connection.
   */
  readonly session?: <T>(work: (connection: Queryable) => Promise<T>) => Promise<T>;
  /** How the connections to Postgres are used now. */
  readonly getPool?: () => PoolState;
  /**
   * Runs `work` in one transaction: all of it is durable when the promise resolves, or none of it happened.
   * `work` must await nothing but this database: on SQLite every other writer of the process waits for it, and on
   * Postgres a deadlock or serialization failure runs it again. Rejects with a DatabaseUnavailableError when that does
   * not help, and with an OutcomeUnknownError when the answer to the COMMIT is lost; after any other error nothing
   * happened.
   */
  tx<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

/** The URL of a database cannot be used as it is written. Nothing was opened. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

/** The tables are of a newer program. Nothing was changed. */
export class DatabaseVersionError extends Error {
  override readonly name = 'DatabaseVersionError';
}

/** A query that always returns a row returned none. */
export class NoRowError extends Error {
  override readonly name = 'NoRowError';

  constructor(query: Query) {
    super(`no row: ${query.strings.join('?').replaceAll(/\s+/g, ' ').trim()}`);
  }
}

export function throwNoRow(query: Query): never {
  throw new NoRowError(query);
}

/**
 * Why storage cannot be used. `damaged`: a file that is no database any more, which does not heal by itself. `full`: no space,
 * or its disk fails. `replaced`: the file of this process was removed, or another one is in its place. `file`: it cannot be
 * opened, or another process holds it. `away`: a server that does not answer.
 */
export type DatabaseFailure = 'damaged' | 'replaced' | 'full' | 'file' | 'away';

/** What ends only when you act. */
export const isLasting = (failure: DatabaseFailure): boolean => failure === 'damaged' || failure === 'replaced';

/** The storage cannot be used. Nothing was written; unless it is damaged, the same call may work later. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';
  readonly failure: DatabaseFailure;

  constructor(message: string, { failure = 'away', ...options }: ErrorOptions & { failure?: DatabaseFailure } = {}) {
    super(message, options);
    this.failure = failure;
  }
}

/**
 * The answer to a COMMIT was lost: the transaction is whole or did not happen, and nobody here knows which. Whoever
 * repeats the call must be able to recognise what the first call wrote.
 */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}
