/**
 * `npm run load:hostile-sites -- --seconds 3600`: a `courier worker` with its own local Temporal server, ten hostile sites and
 * two good ones, each run every minute. Fails when a run of a good site ends more than --late seconds (20) after its minute or
 * not at all, when the memory of the worker grows, or when the worker ends. Measure on a machine that does nothing else.
 */
import { parseArgs } from 'node:util';
import { ScriptCleanup } from '../support/cleanup.ts';
import { runHostileSites } from './hostile-sites/run.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '240' }, late: { type: 'string', default: '20' } },
});

const cleanup = new ScriptCleanup();
try {
  const lateMs = Number(values.late) * 1_000;
  const { ok } = await runHostileSites(cleanup, { seconds: Number(values.seconds), lateMs });
  if (!ok) process.exitCode = 1;
} finally {
  await cleanup.run();
}
