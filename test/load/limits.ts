/**
 * `npm run load:limits -- --database both`: 60,000 requests of a client that keeps exactly to 120 a minute, 3,000 an hour and
 * 30,000 a day, on a clock of its own. Fails when one of them is refused, or one more is not.
 */
import { parseArgs } from 'node:util';
import { LIMITS } from '../../contract/limits.ts';
import { runExactClient } from './limits/run.ts';
import { runScript } from './run-script.ts';

const { values } = parseArgs({ options: { database: { type: 'string', default: 'both' } } });

await runScript(values.database, async (cleanup, dialect) => {
  const summary = await runExactClient(cleanup, dialect, LIMITS.requests);
  const { refused, oneMore, oneMoreRefused, wrongRetryAfter } = summary;
  return { ...summary, ok: refused === 0 && oneMoreRefused === oneMore && wrongRetryAfter === 0 };
});
