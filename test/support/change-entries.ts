import type { Database } from '../../src/database/database.ts';
import { type Query, raw, sql } from '../../src/database/sql.ts';

/** Changes entries of the service as nobody else can: the triggers that refuse it are away meanwhile. */
export async function changeEntries(db: Database, change: Query): Promise<void> {
  if (db.dialect === 'postgres') {
    await db.run(raw('ALTER TABLE entries DISABLE TRIGGER entries_unchanged'));
    await db.run(change);
    await db.run(raw('ALTER TABLE entries ENABLE TRIGGER entries_unchanged'));
    return;
  }
  const triggers = await db.all(sql<{ name: string; sql: string }>`
    SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'entries'`);
  for (const { name } of triggers) await db.run(raw(`DROP TRIGGER ${name}`));
  await db.run(change);
  for (const trigger of triggers) await db.run(raw(trigger.sql));
}
