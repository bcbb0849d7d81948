import { DDL_TYPES, type Migration } from '../../src/database/migrate.ts';

/** Tables that may have millions of rows: an index of theirs is built beside the programs that write to them. */
const LARGE = new Set(['urls', 'batch_urls', 'batches', 'charges', 'check_queue', 'check_urls', 'submissions']);

/**
 * What in these steps would break or stop a program of the version before, which still runs while they are carried out and
 * after. Tables that a step creates are not known to it: everything is allowed with them.
 */
export function findBreaking(migrations: readonly Migration[]): string[] {
  const found = new Set<string>();
  for (const types of Object.values(DDL_TYPES)) {
    const created = new Set<string>();
    for (const migration of migrations) {
      if (!('statements' in migration)) continue;
      for (const statement of migration.statements(types)) {
        const why = judge(statement.replaceAll(/\s+/g, ' ').trim(), created);
        if (why !== null) found.add(`${migration.name}: ${why}`);
      }
    }
  }
  return [...found];
}

/** The same but for steps with a review, by their names, that says why such a program survives them; and reviews that no step needs. */
export function findUnreviewed(
  migrations: readonly Migration[],
  reviewed: Readonly<Record<string, string>>,
): readonly string[] {
  const isNeeded = (name: string) => findBreaking(migrations.filter((step) => step.name === name)).length > 0;
  return [
    ...findBreaking(migrations.filter(({ name }) => reviewed[name] === undefined)),
    ...Object.keys(reviewed)
      .filter((name) => !isNeeded(name))
      .map((name) => `${name}: needs no review`),
  ];
}

/** Why a statement is refused; null: it may run. */
function judge(statement: string, created: Set<string>): string | null {
  const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/.exec(statement)?.[1];
  if (table !== undefined) {
    created.add(table);
    return null;
  }
  const [, unique, indexed = ''] = /^CREATE (UNIQUE )?INDEX (?:IF NOT EXISTS )?\w+ ON (\w+)/.exec(statement) ?? [];
  if (created.has(indexed)) return null;
  if (unique !== undefined) return `a unique index on ${indexed}, which older statements may violate`;
  if (LARGE.has(indexed)) return `an index of ${indexed} that stops writes while it is built: write it as \`index\``;
  if (indexed !== '') return null;
  const [, altered = '', change = ''] = /^ALTER TABLE (\w+) (.*)$/.exec(statement) ?? [];
  if (created.has(altered)) return null;
  const [, definition] = /^ADD COLUMN (?:IF NOT EXISTS )?\w+ (.*)$/.exec(change) ?? [];
  if (definition !== undefined) return judgeColumn(altered, definition);
  if (/^(SET \(|ALTER COLUMN \w+ SET (STORAGE|STATISTICS) )/.test(change)) return null;
  return statement;
}

function judgeColumn(table: string, definition: string): string | null {
  if (/\b(UNIQUE|PRIMARY|REFERENCES|CHECK|GENERATED)\b/.test(definition)) {
    return `a column of ${table} that older statements may violate: ${definition}`;
  }
  const value = /\bDEFAULT (.*?)(?: NOT NULL)?$/.exec(definition)?.[1];
  if (value === undefined && /\bNOT NULL\b/.test(definition)) {
    return `a column of ${table} without a value for the rows that older statements insert: ${definition}`;
  }
  return value?.includes('(') ? `a column of ${table} whose value is computed for each row: ${definition}` : null;
}
