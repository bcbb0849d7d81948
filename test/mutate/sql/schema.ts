import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RATE_LIMIT_MIGRATIONS } from '../../../src/rate-limit/migrations.ts';
import { ROOT } from '../../suites.ts';

/** Columns by table, each with its type. */
export type Schema = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The tables of the ledger and of the rate limits. */
export function readSchema(): Schema {
  const db = new DatabaseSync(':memory:');
  db.exec(readFileSync(join(ROOT, 'src/ledger/schema.sqlite.sql'), 'utf8'));
  const dialect = { dialect: 'sqlite', id: 'INTEGER PRIMARY KEY', withoutRowid: '' } as never;
  for (const step of RATE_LIMIT_MIGRATIONS) {
    if ('statements' in step) for (const each of step.statements(dialect)) db.exec(each);
  }
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  const schema = new Map(
    tables.map(({ name }) => {
      const columns = db.prepare(`PRAGMA table_info(${name})`).all() as { name: string; type: string }[];
      // Both are integers, in width alone different.
      return [name, new Map(columns.map((each) => [each.name, each.type.replace('INTEGER', 'BIGINT')]))] as const;
    }),
  );
  db.close();
  return schema;
}
