import type { DdlTypes } from '../../src/database/migrate.ts';

/** Triggers that refuse what would change the past: an entry is corrected by another entry, whoever is at the database. */
export function createEntryTriggers({ dialect }: DdlTypes): string[] {
  const message = 'entries are never changed or deleted: append one that corrects it';
  return dialect === 'sqlite'
    ? ['UPDATE', 'DELETE'].map(
        (event) =>
          `CREATE TRIGGER entries_no_${event.toLowerCase()} BEFORE ${event} ON entries BEGIN SELECT RAISE(ABORT, '${message}'); END`,
      )
    : [
        `CREATE FUNCTION refuse_change_of_entries() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION '${message}'; END $$`,
        `CREATE TRIGGER entries_unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_entries()`,
      ];
}
