/**
 * `npm run load:two-customers -- --database both --seconds 5 --only 'url filter'`: what one customer's requests take, alone and
 * beside a hostile customer, who does each of thirty things (the ones that `--only` names, or those from `--from` on, so
 * many as `--count`), and then all of them at once. Fails when their p99 is more than 1.5 times that of the customer
 * alone on SQLite, or twice on Postgres, one of them fails, or the service has more than 400 MB. Measure on a machine that
 * does nothing else.
 */
import { parseArgs } from 'node:util';
import { runScript } from './run-script.ts';
import { HOSTILE_ACTS } from './two-customers/acts.ts';
import { runTwoCustomers } from './two-customers/run.ts';

const MAX_RATIO = { sqlite: 1.5, postgres: 2 } as const;
const MAX_RSS_MB = 400;

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'both' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '30' },
  },
});

const first = Number(values.from) - 1;
const namedActs = (names: string) => HOSTILE_ACTS.filter((act) => names.split(',').includes(act));

await runScript(values.database, async (cleanup, dialect) => {
  const phases = await runTwoCustomers(cleanup, dialect, {
    seconds: Number(values.seconds),
    acts: values.only === undefined ? HOSTILE_ACTS.slice(first, first + Number(values.count)) : namedActs(values.only),
    onPhase: ({ phase, requests, failed, p50, p99, ratio, rssMb }) => {
      process.stdout.write(
        `${dialect.padEnd(9)}${phase.padEnd(22)} p50 ${p50} ms, p99 ${p99} ms (${ratio} ×), ${failed.length} of ${requests} failed${failed.length === 0 ? '' : ` (${failed[0]})`}, ${rssMb} MB\n`,
      );
    },
  });
  const worstRatio = Math.max(...phases.map(({ ratio }) => ratio));
  const failed = phases.reduce((sum, phase) => sum + phase.failed.length, 0);
  const rssMb = Math.max(...phases.map((phase) => phase.rssMb));
  return { worstRatio, failed, rssMb, ok: worstRatio <= MAX_RATIO[dialect] && failed === 0 && rssMb <= MAX_RSS_MB };
});
