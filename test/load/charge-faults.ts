/**
 * `npm run load:charge-faults -- --faults 1000 --seed 1 --database both`: faults at every step of POST /submissions and
 * POST /index-check, on SQLite and on Postgres (that of COURIER_TEST_POSTGRES, or one of its own). Fails when an answer says
 * that nothing was charged and the database disagrees, when a key is charged twice or not at all, or when an index-check
 * is neither answered nor restored in time.
 */
import { parseArgs } from 'node:util';
import { ScriptCleanup } from '../support/cleanup.ts';
import type { Dialect } from '../support/database.ts';
import { findPostgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { runChargeFaults } from './charge-faults/run.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string', default: 'both' },
  },
});
const cleanup = new ScriptCleanup();

async function findPostgres(): Promise<void> {
  if (process.env.COURIER_TEST_POSTGRES !== undefined) return;
  const programs = findPostgresPrograms();
  if (programs === null) throw new Error('Postgres is not installed: use --database sqlite');
  const { url, stop } = await startPostgres(programs);
  process.env.COURIER_TEST_POSTGRES = url;
  cleanup.after(stop);
}

try {
  for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
    if (values.database !== 'both' && values.database !== dialect) continue;
    if (dialect === 'postgres') await findPostgres();
    const summary = await runChargeFaults(cleanup, dialect, {
      faults: Number(values.faults),
      seed: Number(values.seed),
      slow: true,
      onRound: (done) => void (done % 100 === 0 && process.stderr.write(`${dialect}: ${done} faults\n`)),
    });
    process.stdout.write(`${JSON.stringify({ database: dialect, seed: values.seed, ...summary }, null, 1)}\n`);
    if (summary.failures.length > 0) process.exitCode = 1;
  }
} finally {
  await cleanup.run();
}
