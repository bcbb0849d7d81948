/**
 * Plays many sites against the model: `npm run simulate:crawl -- --sites 500 --seed 1`. On Postgres where
 * COURIER_TEST_POSTGRES holds a URL and `--postgres` is given; with `--dates` what files date alone, without a server. Ends with 1 at the first difference.
 */
import { parseArgs } from 'node:util';
import { openDatabase } from '../../src/database/open.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { playSite, serveSites } from './play.ts';
import { playDates } from './play-dates.ts';

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    dates: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const sums = { sites: 0, runs: 0, incomplete: 0, stopped: 0, breaks: 0, bought: 0, shared: 0, differences: 0 };
const began = performance.now();
await using server = await serveSites();
for (let seed = first; seed < first + Number(values.sites); seed += 1) {
  const cleanup: (() => void)[] = [];
  const url = values.postgres
    ? emptyDatabaseUrl({ after: (work) => void cleanup.push(work as () => void) }, 'postgres')
    : 'sqlite::memory:';
  const db = openDatabase(url, { synchronous: 'NORMAL' });
  try {
    const played = values.dates ? await playDates(db, seed) : await playSite(server, db, seed);
    sums.sites += 1;
    for (const [name, count] of Object.entries(played)) sums[name as keyof typeof sums] += count;
  } catch (error) {
    sums.differences += 1;
    process.exitCode = 1;
    console.error((error as Error).message);
    if (!values.keep) break;
  } finally {
    await db.close();
  }
}
console.log(JSON.stringify({ ...sums, seconds: Math.round((performance.now() - began) / 100) / 10 }));
