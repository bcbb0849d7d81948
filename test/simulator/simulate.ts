/**
 * Plays seeded schedules of the whole connector and the real service on a virtual platform: docs/contributing/simulator.md.
 * Exit code 1 when a rule was broken.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import './platform/real-time.ts';
import './platform/module-hooks.ts';
import './platform/install.ts';
import './platform/compile-once.ts';
import { KEPT_SEEDS } from './kept-seeds.ts';
import { findMutation, loadMutated } from './mutations/load.ts';
import { realNow } from './platform/real-time.ts';
import type { Played } from './world/play.ts';
import type { Scenario } from './world/scenario.ts';

const { values } = parseArgs({
  options: {
    /** How many. */
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    /** One alone. */
    seed: { type: 'string' },
    /** Those that once showed a defect, first. */
    kept: { type: 'boolean', default: false },
    /** Begins at a seed of this day: 2026-11-22. */
    day: { type: 'string' },
    /** No seed begins after this time. */
    seconds: { type: 'string' },
    /** Prints every line of the trace. */
    trace: { type: 'boolean', default: false },
    /** Shortens the schedule of each seed that fails, and prints it. */
    shrink: { type: 'boolean', default: false },
    /** Ends with the first seed that fails. */
    'first-breach': { type: 'boolean', default: false },
    /** Seeds with this act alone: 'restore ledger'. */
    with: { type: 'string' },
    /** Plays with this deliberate defect: test/simulator/mutations/table.ts. */
    mutation: { type: 'string' },
  },
});
// Errors are thrown often, and their stacks cost more than most events; messages name them.
if (!values.trace) Error.stackTraceLimit = 0;
if (values.mutation !== undefined) loadMutated(findMutation(values.mutation));
const { play } = await import('./world/play.ts');
const { toScenario } = await import('./world/scenario.ts');
const { shrink } = await import('./world/shrink.ts');
const { describeScenario, isEvent } = await import('./world/describe.ts');

/** Seeds of a day, which no other day has. */
const DAY_SEEDS = 100_000;

function* listSeeds(): Generator<number> {
  if (values.seed !== undefined) {
    yield Number(values.seed);
    return;
  }
  if (values.kept) yield* KEPT_SEEDS;
  const first = values.day === undefined ? Number(values.from) : (Date.parse(values.day) / 86_400_000) * DAY_SEEDS;
  for (let n = 0; n < Number(values.seeds); n++) yield first + n;
}

async function report(
  scenario: Scenario,
  { seed, events, elapsedMs, charges, digest, breaches }: Played,
): Promise<void> {
  const hours = (elapsedMs / 3_600_000).toFixed(1);
  console.log(
    `seed ${seed}: ${events} events, ${hours} virtual hours, ${charges} charges, digest ${digest.slice(0, 16)}`,
  );
  for (const breach of breaches) console.log(`  breach: ${breach}`);
  const [breach] = breaches;
  if (breach === undefined || !values.shrink) return;
  const small = await shrink(scenario, breach, (each) => play(each));
  console.log(`The shortest schedule of seed ${seed} that was found:`);
  for (const line of describeScenario(small)) console.log(`  ${line}`);
  let n = 0;
  await play(small, (line) => {
    if (!isEvent(line)) return;
    n += 1;
    console.log(`  ${String(n).padStart(3)}. ${line}`);
  });
}

const began = realNow();
const endsAt = values.seconds === undefined ? Number.POSITIVE_INFINITY : began + Number(values.seconds) * 1_000;
const digest = createHash('sha256');
const failed: number[] = [];
let count = 0;
for (const seed of listSeeds()) {
  if (realNow() >= endsAt) break;
  const scenario = toScenario(seed);
  if (values.with !== undefined && !scenario.acts.some(({ kind }) => kind === values.with)) continue;
  const played = await play(scenario, values.trace ? (line) => console.log(line) : null);
  count += 1;
  digest.update(played.digest);
  if (played.breaches.length > 0) failed.push(seed);
  if (played.breaches.length > 0 || values.seed !== undefined) await report(scenario, played);
  if (failed.length > 0 && values['first-breach']) break;
}
const minutes = (realNow() - began) / 60_000;
console.log(`${count} seeds, ${failed.length} with a breach, ${Math.round(count / minutes)} schedules a minute`);
if (failed.length > 0) console.log(`One again: npm run simulate -- --seed ${failed[0]} --shrink`);
console.log(`digest of all traces: ${digest.digest('hex')}`);
process.exit(failed.length === 0 ? 0 : 1);
