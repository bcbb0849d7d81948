import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnavailableError, isLasting } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { LEDGER_REMEDY } from '../../ledger/describe-failure.ts';
import { LEDGER_MIGRATIONS } from '../../ledger/migrations.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { formatCounted } from '../../submission/count.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MIB = 1024 * 1024;
/** A run of a million URLs writes about this much before it is checkpointed. */
const LITTLE_DISK = 1024 * MIB;
const NO_DISK = 64 * MIB;

/** Thrown to roll a transaction back. */
class Rollback extends Error {}

/** Whether the ledger can be written, how large it is, and whether its disk has room. */
export async function checkLedger(ledger: Ledger, url: string): Promise<Finding[]> {
  const about = { check: 'ledger', subject: null } as const;
  try {
    await ledger.db.tx(async (tx) => {
      await tx.run(sql`
        INSERT INTO ledger_settings (name, value) VALUES ('doctor', 'x') ON CONFLICT (name) DO UPDATE SET value = 'x'`);
      throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) {
      return [
        fail(
          about,
          `it cannot be written (${(error as Error).message})`,
          error instanceof DatabaseUnavailableError
            ? LEDGER_REMEDY[error.failure].replace(/^./, (first) => first.toLowerCase())
            : 'check permissions and the disk: nothing is sent before it is recorded',
          { transient: error instanceof DatabaseUnavailableError && !isLasting(error.failure) },
        ),
      ];
    }
  }
  const { urls } = await ledger.db.one(sql<{ urls: number }>`SELECT coalesce(sum(live), 0) AS urls FROM watches`);
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
  const bytes = file === null ? await getPostgresSize(ledger) : getFileSize(file);
  const what = `writable, schema ${LEDGER_MIGRATIONS.length}, ${formatCounted(urls, 'URL')} in sitemaps, ${formatBytes(bytes)}, id ${ledger.id}`;
  return [ok(about, what), ...(file === null || file === ':memory:' ? [] : [checkDisk(file, bytes)])];
}

async function getPostgresSize(ledger: Ledger): Promise<number> {
  const { bytes } = await ledger.db.one(sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`);
  return bytes;
}

const getFileSize = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);

function checkDisk(file: string, ledgerBytes: number): Finding {
  const about = { check: 'disk', subject: null } as const;
  const { bavail, bsize } = statfsSync(dirname(file));
  return judgeDisk(about, bavail * bsize, ledgerBytes);
}

/** Pure. */
export function judgeDisk(about: Pick<Finding, 'check' | 'subject'>, free: number, ledgerBytes: number): Finding {
  const message = `${formatBytes(free)} free where the ledger is`;
  const next = 'free some: a full disk stops runs, and loses nothing';
  if (free < NO_DISK) return fail(about, message, next);
  return free < Math.max(LITTLE_DISK, ledgerBytes) ? warn(about, message, next) : ok(about, message);
}

function formatBytes(bytes: number): string {
  if (bytes < 1024 * MIB) return `${Math.ceil(bytes / MIB)} MiB`;
  return `${(bytes / MIB / 1024).toFixed(1)} GiB`;
}
