import { statfsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailableError } from './database.ts';

export interface Vacuumed {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Writes a SQLite file again without the pages that are free. Nothing else can be written meanwhile. It needs the size of
 * the file twice, for the copy and for the log; throws a DatabaseUnavailableError, with nothing changed, where the disk
 * has less or another process is writing.
 */
export function vacuumSqlite(file: string, { freeBytes = getFreeBytes(file) } = {}): Vacuumed {
  const bytesBefore = statSync(file).size;
  if (freeBytes < 2 * bytesBefore) {
    throw new DatabaseUnavailableError(
      `The ledger was not compacted: ${toMb(2 * bytesBefore)} of free disk space are needed, and ${toMb(freeBytes)} are ` +
        'free. Nothing was changed. Make room and try again.',
    );
  }
  const db = new DatabaseSync(file, { timeout: 10_000 });
  try {
    // The copy goes to the disk: in memory it would need as much as the file has.
    db.exec('PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if ((((error as { errcode?: number }).errcode ?? 0) & 0xff) !== 5) throw error;
    throw new DatabaseUnavailableError(
      'The ledger was not compacted: another process is writing to it. Nothing was changed. Stop the worker and try again.',
      { cause: error },
    );
  } finally {
    db.close();
  }
  return { bytesBefore, bytesAfter: statSync(file).size };
}

function getFreeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(file);
  return bavail * bsize;
}

const toMb = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;
