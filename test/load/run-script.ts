import { ScriptCleanup } from '../support/cleanup.ts';
import type { Dialect } from '../support/database.ts';
import { findPostgresPrograms, startPostgres } from '../support/postgres-server.ts';

/**
 * Runs `work` on SQLite, on Postgres (that of COURIER_TEST_POSTGRES, or one of its own) or on `both`, and prints what it
 * returns. The script fails when that is not `ok`.
 */
export async function runScript(
  database: string,
  work: (cleanup: ScriptCleanup, dialect: Dialect) => Promise<{ readonly ok: boolean }>,
): Promise<void> {
  const cleanup = new ScriptCleanup();
  try {
    for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
      if (database !== 'both' && database !== dialect) continue;
      if (dialect === 'postgres') await openPostgres(cleanup);
      const summary = await work(cleanup, dialect);
      process.stdout.write(`${JSON.stringify({ database: dialect, ...summary })}\n`);
      if (!summary.ok) process.exitCode = 1;
    }
  } finally {
    await cleanup.run();
  }
}

async function openPostgres(cleanup: ScriptCleanup): Promise<void> {
  if (process.env.COURIER_TEST_POSTGRES !== undefined) return;
  const programs = findPostgresPrograms();
  if (programs === null) throw new Error('Postgres is not installed: use --database sqlite');
  const { url, stop } = await startPostgres(programs);
  process.env.COURIER_TEST_POSTGRES = url;
  cleanup.after(stop);
}
