import { DatabaseSync as RealDatabase, type StatementSync } from 'node:sqlite';

/*
 * Stands in for node:sqlite in `openSqlite`, which keeps its connection to itself: the simulation needs it to begin with
 * the content of a template, to copy what is committed, and to read beside everyone.
 */

let opened: RealDatabase | null = null;

/** Compiles a text once, whoever asks for it. */
export class DatabaseSync extends RealDatabase {
  readonly #statements = new Map<string, StatementSync>();

  constructor(...args: ConstructorParameters<typeof RealDatabase>) {
    super(...args);
    opened = this;
  }

  override prepare(text: string): StatementSync {
    const known = this.#statements.get(text) ?? super.prepare(text);
    this.#statements.set(text, known);
    return known;
  }
}

/** The connection that `open` makes. */
export function recordConnection<T>(open: () => T): { readonly result: T; readonly connection: RealDatabase } {
  opened = null;
  const result = open();
  if (opened === null) throw new Error('no database was opened');
  return { result, connection: opened };
}
