import { DatabaseSync as RealDatabase, type SQLInputValue, type StatementSync } from 'node:sqlite';

/*
 * Stands in for node:sqlite in `openSqlite`, which keeps its connection to itself: the simulation needs it to begin with
 * the content of a template, to copy what is committed, and to read beside everyone. A connection that is closed serves
 * the next simulation: its statements stay compiled.
 */

/** The content of a database, as SQLite writes it. */
export type Image = Uint8Array;

interface Table {
  readonly clear: StatementSync;
  readonly insert: StatementSync;
  readonly rows: readonly (readonly SQLInputValue[])[];
}

/** Texts that are not worth compiling each time. */
const COMPILED: ReadonlySet<string> = new Set([
  ...['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'],
  ...['SAVEPOINT member', 'RELEASE member', 'ROLLBACK TO member'],
]);

/** Connections that are closed, by the content that they began with. */
const closed = new WeakMap<Image, Connection[]>();
/** What the next connection begins with. */
let wanted: Image | null = null;
let opened: Connection | null = null;

export class Connection extends RealDatabase {
  readonly #statements = new Map<string, StatementSync>();
  readonly #readers = new Map<string, StatementSync>();
  #template: Image | null = null;
  /** What the template has in each table. */
  #tables: readonly Table[] = [];
  #isReset = false;

  constructor(...args: ConstructorParameters<typeof RealDatabase>) {
    super(...args);
    // Most of a small transaction is to keep the pages as they were.
    super.exec('PRAGMA page_size = 1024');
  }

  /** Compiles a text once, and describes its columns once. */
  override prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = super.prepare(text);
    const columns = statement.columns();
    statement.columns = () => columns;
    this.#statements.set(text, statement);
    return statement;
  }

  /** For those who read beside openSqlite: a statement of its own, which returns objects. */
  read(text: string): StatementSync {
    const known = this.#readers.get(text) ?? super.prepare(text);
    this.#readers.set(text, known);
    return known;
  }

  override exec(text: string): void {
    if (COMPILED.has(text)) this.prepare(text).get();
    // Settings stay with a connection that is used again.
    else if (this.#template === null || !text.startsWith('PRAGMA')) super.exec(text);
  }

  override close(): void {
    if (this.#template === null) {
      super.close();
      return;
    }
    if (this.isTransaction) this.exec('ROLLBACK');
    const others = closed.get(this.#template) ?? [];
    closed.set(this.#template, others);
    others.push(this);
  }

  get isFilled(): boolean {
    return this.#template !== null;
  }

  /** Begins with that content, now and whenever it is opened again. */
  fill(template: Image): void {
    this.deserialize(template);
    this.#allowResets();
    this.#tables = listTables(this).map((name) => {
      const columns = this.prepare('SELECT name FROM pragma_table_info(?)').all(name) as { name: string }[];
      const values = columns.map(() => '?').join();
      return {
        clear: this.prepare(`DELETE FROM ${name}`),
        insert: this.prepare(`INSERT INTO ${name} VALUES (${values})`),
        rows: this.prepare(`SELECT * FROM ${name}`)
          .all()
          .map((row) => columns.map((column) => row[column.name] as SQLInputValue)),
      };
    });
    this.#template = template;
  }

  /** Rows that triggers keep from being deleted are deleted by `reset` alone. */
  #allowResets(): void {
    this.function('is_reset', () => Number(this.#isReset));
    const guards = this.prepare(`
      SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%BEFORE DELETE%RAISE(%'`).all();
    for (const { name, sql } of guards) {
      this.exec(`DROP TRIGGER ${name}`);
      this.exec(String(sql).replace(' BEGIN ', ' WHEN NOT is_reset() BEGIN '));
    }
  }

  /** Takes that content in the place of its own, at once, under whoever uses it. */
  replace(image: Image): void {
    const source = new RealDatabase(':memory:');
    source.deserialize(image);
    const tables = listTables(source);
    this.exec('BEGIN IMMEDIATE');
    for (const name of tables.toReversed()) this.read(`DELETE FROM ${name}`).run();
    for (const name of tables) {
      const columns = listColumns(source, name);
      const select = source.prepare(`SELECT ${columns.join()} FROM ${name}`);
      select.setReadBigInts(true);
      const insert = this.read(`INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`);
      for (const row of select.all()) insert.run(...(Object.values(row) as SQLInputValue[]));
    }
    this.exec('COMMIT');
    source.close();
  }

  /** Begins again. No setting may change: each would have all statements compiled again. */
  reset(): void {
    this.#isReset = true;
    this.exec('BEGIN IMMEDIATE');
    for (const { clear } of this.#tables.toReversed()) clear.run();
    for (const { insert, rows } of this.#tables) for (const row of rows) insert.run(...row);
    this.exec('COMMIT');
    this.#isReset = false;
  }
}

/** Those that are written: none that is computed from others. */
const listColumns = (db: RealDatabase, table: string): readonly string[] =>
  (db.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]).map(({ name }) => name);

/** All tables, each behind those that its foreign keys name. */
function listTables(db: RealDatabase): string[] {
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as { name: string }[];
  const parents = db.prepare('SELECT "table" AS name FROM pragma_foreign_key_list(?)');
  const ordered = new Set<string>();
  const add = (name: string): void => {
    for (const parent of parents.all(name) as { name: string }[]) if (parent.name !== name) add(parent.name);
    ordered.add(name);
  };
  for (const { name } of names) add(name);
  return [...ordered];
}

/** What openSqlite makes. */
export const DatabaseSync = new Proxy(Connection, {
  construct(target, args: ConstructorParameters<typeof Connection>) {
    const again = wanted === null ? undefined : closed.get(wanted)?.pop();
    again?.reset();
    opened = again ?? new target(...args);
    return opened;
  },
});

/** The connection that `open` makes; with a template, one that has its content. */
export function recordConnection<T>(
  open: () => T,
  template: Image | null = null,
): { readonly result: T; readonly connection: Connection } {
  opened = null;
  wanted = template;
  const result = open();
  wanted = null;
  if (opened === null) throw new Error('no database was opened');
  const connection = opened as Connection;
  if (template !== null && !connection.isFilled) connection.fill(template);
  return { result, connection };
}
