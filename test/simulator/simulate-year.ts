/**
 * Three watches for a year, on the virtual platform: npm run simulate:year -- [--seed 1] [--days 365]. Exit code 1 when a
 * promise is missed: docs/contributing/simulator.md.
 */
import './platform/real-time.ts';
import './platform/module-hooks.ts';
import './platform/install.ts';
import './platform/compile-once.ts';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { realNow } from './platform/real-time.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '365' },
    /** On average, one act in so many days. */
    'days-per-act': { type: 'string', default: '2' },
    /** Acts begin while batches are under way or in doubt. */
    'bad-moments': { type: 'boolean', default: false },
    /** Prints every line of the trace. */
    trace: { type: 'boolean', default: false },
  },
});
// What is left of the heap is measured after a collection.
setFlagsFromString('--expose-gc');
global.gc = runInNewContext('gc') as NonNullable<typeof global.gc>;
// Nobody reads the stacks of failures that are waits.
Error.stackTraceLimit = 0;
const { playYear } = await import('./world/year.ts');

const MIB = 1024 * 1024;
const toMiB = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
const began = realNow();
const { figures, times, acts, charged, events, digest, breaches } = await playYear({
  seed: Number(values.seed),
  days: Number(values.days),
  daysPerAct: Number(values['days-per-act']),
  atBadMoments: values['bad-moments'],
  onTrace: values.trace ? (line) => console.log(line) : null,
  onFigures: (each) =>
    console.log(
      `day ${each.days}, ${((realNow() - began) / 1_000).toFixed(0)} s: ${each.runs} runs, ${each.charges} charges, ` +
        `${each.pages} pages listed; ${each.executions} executions ended, the largest history ${each.mostEvents} events; ` +
        `ledger ${toMiB(each.ledgerBytes)}, service ${toMiB(each.serviceBytes)}, heap ${toMiB(each.heapBytes)}`,
    ),
});
console.log(
  `${times} times of schedules, ${acts} acts; charged ${charged} micro-lira in the ledger, the service and the oracle; ` +
    `${events} events in ${((realNow() - began) / 1_000).toFixed(0)} s; digest ${digest.slice(0, 16)}`,
);
const misses = [...breaches];
const [first, last] = [figures[0], figures.at(-1)];
if (first !== undefined && last !== undefined && figures.length === 4) {
  // Each quarter brings as much as another: what grows faster than that is not bounded.
  for (const name of ['ledgerBytes', 'serviceBytes'] as const) {
    if (last[name] > 6 * first[name]) misses.push(`${name} grew from ${first[name]} to ${last[name]}`);
  }
  if (last.heapBytes > first.heapBytes + 64 * MIB) misses.push('the heap grew by more than 64 MiB');
  if (Math.max(...figures.map(({ mostEvents }) => mostEvents)) > 10_000)
    misses.push('a history of more than 10,000 events');
  if (last.runs < 0.95 * times) misses.push(`${last.runs} runs for ${times} times of schedules`);
}
for (const miss of misses) console.log(`missed: ${miss}`);
process.exit(misses.length === 0 ? 0 : 1);
