import { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * What happens at a statement: `busy`, `full` or `ioerr` instead of it; `full-rollback`: SQLite has rolled the transaction
 * back by itself as well, as it may; `ioerr-after`: the statement takes effect, and its answer is lost; `kill-before` and
 * `kill-after`: this process ends.
 */
export const SQLITE_FAULTS = [
  'busy',
  'full',
  'full-rollback',
  'ioerr',
  'ioerr-after',
  'kill-before',
  'kill-after',
] as const;
export type SqliteFault = (typeof SQLITE_FAULTS)[number];

const CODES = { busy: 5, full: 13, 'full-rollback': 13, ioerr: 10, 'ioerr-after': 10 } as const;

export interface SqliteFaults {
  /** The fault happens once, at statement `step` from now on, counted from 1. */
  arm(step: number, fault: SqliteFault): void;
  /** No fault from now on. Returns how many statements were run since arm(). */
  disarm(): number;
}

/** Puts faults between this process and the driver of SQLite. Once in a process, before a database is opened. */
export function injectSqliteFaults(): SqliteFaults {
  let armed: { readonly step: number; readonly fault: SqliteFault } | null = null;
  let count = 0;
  const databases = new WeakMap<StatementSync, DatabaseSync>();

  function meet<T>(db: DatabaseSync | undefined, work: () => T): T {
    count++;
    if (armed === null || count !== armed.step) return work();
    const { fault } = armed;
    armed = null;
    if (fault === 'kill-before') return kill();
    if (fault === 'full-rollback' && db?.isTransaction) original.exec.call(db, 'ROLLBACK');
    const done = fault === 'ioerr-after' || fault === 'kill-after' ? work() : undefined;
    if (fault === 'kill-after') return kill();
    void done;
    throw Object.assign(new Error(`injected ${fault}`), { code: 'ERR_SQLITE_ERROR', errcode: CODES[fault] });
  }

  const original = { exec: DatabaseSync.prototype.exec, prepare: DatabaseSync.prototype.prepare };
  DatabaseSync.prototype.exec = function (text) {
    return meet(this, () => original.exec.call(this, text));
  };
  DatabaseSync.prototype.prepare = function (...args) {
    const statement = original.prepare.apply(this, args);
    databases.set(statement, this);
    return statement;
  };
  for (const method of ['all', 'get', 'run'] as const) {
    const run = StatementSync.prototype[method] as (this: StatementSync, ...values: unknown[]) => unknown;
    Object.defineProperty(StatementSync.prototype, method, {
      value(this: StatementSync, ...values: unknown[]) {
        return meet(databases.get(this), () => run.apply(this, values));
      },
    });
  }

  return {
    arm(step, fault) {
      count = 0;
      armed = { step, fault };
    },
    disarm() {
      armed = null;
      return count;
    },
  };
}

function kill(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal arrives at once; nothing of the statement may happen before.
  for (;;);
}
