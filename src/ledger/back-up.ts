import { existsSync } from 'node:fs';
import { CopyError, copySqlite, readSqlite, requireWhole } from '../database/copy-sqlite.ts';
import { DatabaseUrlError } from '../database/database.ts';
import { replaceSqlite } from '../database/replace-sqlite.ts';
import type { LedgerId } from '../submission/ids.ts';

/** What a file holds, as one who chooses a backup needs it. */
export interface LedgerCopy {
  readonly ledger: LedgerId;
  readonly urls: number;
  readonly batches: number;
  /** When its last batch was accepted; null without one. */
  readonly lastAcceptedAt: number | null;
}

export interface LedgerBackup extends LedgerCopy {
  readonly bytes: number;
}

/** Copies the ledger into one file while workers run. Postgres has tools of its own for this. */
export async function backUpLedger(ledgerUrl: string, target: string): Promise<LedgerBackup> {
  const { bytes, inspected } = await copySqlite(toPath(ledgerUrl), target, async (copy) => describeCopy(copy));
  return { ...inspected, bytes };
}

export interface Restored extends LedgerCopy {
  /** Where the former ledger is kept; null: there was none. */
  readonly kept: string | null;
}

/**
 * Puts a backup in the place of the ledger, which no process may use. Throws a CopyError, with nothing changed, when the file
 * is damaged, no ledger, or a copy of another one than is there.
 */
export function restoreLedger(ledgerUrl: string, backup: string, at: number): Restored {
  const path = toPath(ledgerUrl);
  if (!existsSync(backup)) throw new CopyError(`there is no file ${backup}; nothing was changed`);
  requireWhole(backup);
  const copy = describeCopy(backup);
  const present = existsSync(path) ? findLedgerId(path) : null;
  if (present !== null && present !== copy.ledger) {
    throw new CopyError(
      `${backup} is a copy of ledger ${copy.ledger}, and ${path} is ledger ${present}; nothing was changed. If you mean it, move ` +
        `${path} away and run the command again`,
    );
  }
  return { ...copy, kept: replaceSqlite(path, backup, at) };
}

function toPath(ledgerUrl: string): string {
  if (ledgerUrl.startsWith('sqlite:')) return ledgerUrl.slice('sqlite:'.length);
  throw new DatabaseUrlError(
    'this command is for SQLite; back up and restore Postgres with pg_dump and pg_restore (docs/guides/operate.md). Nothing was changed',
  );
}

function describeCopy(file: string): LedgerCopy {
  const ledger = findLedgerId(file);
  if (ledger === null) throw new CopyError(`${file} is no ledger of courier; nothing was changed`);
  const { urls, batches, last } = readSqlite(file, (db) =>
    db
      .prepare(
        `SELECT (SELECT count(*) FROM urls) AS urls, (SELECT count(*) FROM batches) AS batches,
          (SELECT max(accepted_at) FROM batches) AS last`,
      )
      .get(),
  ) as { urls: number; batches: number; last: number | null };
  return { ledger, urls, batches, lastAcceptedAt: last };
}

/** Null: the file is no ledger, or cannot be read. */
function findLedgerId(file: string): LedgerId | null {
  try {
    const row = readSqlite(file, (db) =>
      db.prepare("SELECT value FROM ledger_settings WHERE name = 'ledger_id'").get(),
    );
    return row === undefined ? null : (row.value as LedgerId);
  } catch {
    return null;
  }
}
