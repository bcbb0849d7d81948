import type { DdlTypes } from '../../src/database/migrate.ts';

export interface CountedRows {
  /** The table of the rows, such as `submissions`, and what one of them is called in a function's name. */
  readonly table: string;
  readonly row: string;
  /** The columns whose change changes a total. */
  readonly columns: string;
  readonly subtractOld: string;
  readonly addNew: string;
}

/** Triggers that keep totals: whoever adds or changes a row, its totals change in the same transaction. */
export function createTotalTriggers(
  { dialect }: DdlTypes,
  { table, row, columns, subtractOld, addNew }: CountedRows,
): string[] {
  return dialect === 'sqlite'
    ? [
        `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} BEGIN ${addNew} END`,
        `CREATE TRIGGER ${table}_changed AFTER UPDATE OF ${columns} ON ${table}
            BEGIN ${subtractOld} ${addNew} END`,
      ]
    : [
        `CREATE FUNCTION count_${row}() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN IF TG_OP = 'UPDATE' THEN ${subtractOld} END IF; ${addNew} RETURN NULL; END $$`,
        `CREATE TRIGGER ${table}_counted AFTER INSERT OR UPDATE OF ${columns} ON ${table}
            FOR EACH ROW EXECUTE FUNCTION count_${row}()`,
      ];
}
