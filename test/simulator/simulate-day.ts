/**
 * A key at full speed for a day, on the virtual platform: npm run simulate:day -- [--batches 14400] [--not-completed 3]
 * [--workers 3]. Exit code 1 when a promise is missed: docs/explanation/full-speed.md.
 */
import './platform/real-time.ts';
import './platform/module-hooks.ts';
import './platform/install.ts';
import './platform/compile-once.ts';
import { parseArgs } from 'node:util';
import { realNow } from './platform/real-time.ts';
import type { DayPlayed } from './world/day.ts';

const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '14400' },
    /** Percent of the jobs. */
    'not-completed': { type: 'string', default: '3' },
    workers: { type: 'string', default: '3' },
  },
});
// Nobody reads the stacks of failures that are waits.
Error.stackTraceLimit = 0;
const { LANE, playDay } = await import('./world/day.ts');

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);
const list = (counts: ReadonlyMap<string, number>): string => [...counts].map((each) => each.join(': ')).join(', ');
const getLaneUse = ({ sent, sentForMs }: DayPlayed): number => (sent - LANE) / (LANE * (sentForMs / 60_000));
const getRequests = ({ answers, sent }: DayPlayed): number => sumOf(answers) / sent;

function describe(day: DayPlayed): string {
  return (
    `${day.sent} batches sent, ${sumOf(day.ended)} tracked to their end (${list(day.ended)}); ` +
    `submissions lane used: ${(100 * getLaneUse(day)).toFixed(2)}% over ${(day.sentForMs / 60_000).toFixed(1)} minutes; ` +
    `requests: ${sumOf(day.answers)}, ${getRequests(day).toFixed(3)} a batch (${list(day.answers)})`
  );
}

const began = realNow();
const getSeconds = () => `${((realNow() - began) / 1_000).toFixed(0)} s`;
const day = await playDay(
  {
    batches: Number(values.batches),
    notCompleted: Number(values['not-completed']) / 100,
    workers: Number(values.workers),
  },
  (played) =>
    console.log(`${(played.elapsedMs / 3_600_000).toFixed(0)} h, ${getSeconds()}: ${played.sent} batches sent`),
);
console.log(describe(day));
const { user, system } = process.cpuUsage();
console.log(
  `charged: ${day.charged} micro-lira; ${day.events} events in ${getSeconds()}, of which ` +
    `${((user + system) / 1_000_000).toFixed(0)} s of processor time; digest ${day.digest.slice(0, 16)}`,
);
const misses = [...day.breaches];
const refused = [...day.answers].filter(([answer]) => answer.endsWith(' 429'));
if (sumOf(day.ended) !== day.batches) misses.push(`${day.batches - sumOf(day.ended)} batches did not end`);
if (refused.length > 0) misses.push('a 429 was provoked');
if (getLaneUse(day) < 0.98) misses.push('less than 98% of the submissions lane was used');
if (getRequests(day) > 2) misses.push('more than 2 requests a batch');
for (const miss of misses) console.log(`missed: ${miss}`);
process.exit(misses.length === 0 ? 0 : 1);
