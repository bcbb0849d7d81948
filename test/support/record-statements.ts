import type { Database, Queryable } from '../../src/database/database.ts';
import { compile, type Query } from '../../src/database/sql.ts';

/** A statement that a program sent, with the number of its transaction; null: it had none. */
export interface Statement {
  readonly text: string;
  readonly query: Query;
  readonly transaction: number | null;
}

/** The database, and every statement that is sent to it from now on. */
export function recordStatements(db: Database): { readonly db: Database; readonly statements: Statement[] } {
  const statements: Statement[] = [];
  let transactions = 0;

  function wrap(inner: Queryable, transaction: number | null): Queryable {
    const note = <Asked extends Query>(query: Asked): Asked => {
      statements.push({ text: compile(query, db.dialect).text.replaceAll(/\s+/g, ' ').trim(), query, transaction });
      return query;
    };
    return {
      ...inner,
      all: (query) => inner.all(note(query)),
      get: (query) => inner.get(note(query)),
      one: (query) => inner.one(note(query)),
      run: (query) => inner.run(note(query)),
    };
  }

  return {
    statements,
    db: { ...db, ...wrap(db, null), tx: (work) => db.tx((tx) => work(wrap(tx, ++transactions))) },
  };
}
