/**
 * `npm run load:charge-faults -- --faults 1000 --seed 1 --database both`: faults at every step of POST /submissions and
 * POST /index-check. Fails when an answer says that nothing was charged and the database disagrees, when a key is charged
 * twice or not at all, or when an index-check is neither answered nor restored in time.
 */
import { parseArgs } from 'node:util';
import { runChargeFaults } from './charge-faults/run.ts';
import { runScript } from './run-script.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string', default: 'both' },
  },
});

await runScript(values.database, async (cleanup, dialect) => {
  const summary = await runChargeFaults(cleanup, dialect, {
    faults: Number(values.faults),
    seed: Number(values.seed),
    slow: true,
    onRound: (done) => void (done % 100 === 0 && process.stderr.write(`${dialect}: ${done} faults\n`)),
  });
  return { ...summary, seed: values.seed, ok: summary.failures.length === 0 };
});
