/**
 * Plays seeded schedules of the whole connector and the real service on a virtual platform: docs/contributing/simulator.md.
 * Exit code 1 when a rule was broken by a seed that known-seeds.ts does not name, when one that it names breaks none any more, or
 * when a pair met that cannot.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { findKnownSeed } from './known-seeds.ts';
import { parseKind } from './parse-kind.ts';
import type { PlayedSeed } from './play-seeds.ts';
import { SeedPlayer } from './seed-player.ts';
import { summarizePairs, toPage } from './world/pair-page.ts';
import { listWrongObstacles, PairTable } from './world/pair-table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** How many. */
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    /** One alone. */
    seed: { type: 'string' },
    /** Begins at a seed of this day: 2026-11-22. */
    day: { type: 'string' },
    /** No seed begins after this time. */
    seconds: { type: 'string' },
    /** Processes that play at a time. The digest does not depend on it. */
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** Schedules of few pages, acts and hours: more of them in the same time. */
    small: { type: 'boolean', default: false },
    /** How schedules are drawn: usual, small or focused (few kinds of acts, each often and at bad moments). */
    kind: { type: 'string' },
    /** Prints every line of the trace. */
    trace: { type: 'boolean', default: false },
    /** Shortens the schedule of each seed that fails, and prints it. */
    shrink: { type: 'boolean', default: false },
    /** Ends with the first seed that fails. */
    'first-breach': { type: 'boolean', default: false },
    /** Seeds with this act alone: 'restore ledger'. */
    with: { type: 'string' },
    /** Prints how many seeds had each two acts, and each act and each state, meet; a file that is named gets the page of them. */
    pairs: { type: 'boolean', default: false },
    /** Plays with this deliberate defect: test/simulator/mutations/table/. */
    mutation: { type: 'string' },
  },
});

const kind = parseKind(values);

/** Seeds of a day, which no other day has. */
const DAY_SEEDS = 100_000;

function* listSeeds(): Generator<number> {
  if (values.seed !== undefined) {
    yield Number(values.seed);
    return;
  }
  const first = values.day === undefined ? Number(values.from) : (Date.parse(values.day) / 86_400_000) * DAY_SEEDS;
  for (let n = 0; n < Number(values.seeds); n++) yield first + n;
}

const began = performance.now();
const endsAt = values.seconds === undefined ? Number.POSITIVE_INFINITY : began + Number(values.seconds) * 1_000;
const digest = createHash('sha256');
const failed: number[] = [];
/** Seeds that known-seeds.ts names, and that break nothing any more. */
const fixed: number[] = [];
/** Seeds with a breach that a known finding explains, by finding. */
const known = new Map<string, number>();
/** What people did in seeds of their kind, and how often. */
const happened = new Map<string, number>();
const table = new PairTable();
let count = 0;
let cpuMs = 0;

/** Counts and shows a seed; the seeds come in their order, whoever played them first. */
function report({
  seed,
  digest: own,
  breaches,
  known: explained,
  meetings,
  happenings,
  lines,
  cpuMs: ownMs,
}: PlayedSeed): void {
  count += 1;
  table.add(meetings);
  for (const [what, times] of happenings) happened.set(what, (happened.get(what) ?? 0) + times);
  for (const [finding] of explained) known.set(finding, (known.get(finding) ?? 0) + 1);
  cpuMs += ownMs;
  digest.update(own);
  const cause = findKnownSeed(kind, seed)?.cause;
  if (cause === undefined && breaches.length > 0) failed.push(seed);
  if (cause !== undefined && breaches.length === 0) fixed.push(seed);
  if (cause !== undefined) console.log(`seed ${seed} is on the list of known breaches: ${cause}`);
  if (breaches.length > 0 || values.seed !== undefined) for (const line of lines) console.log(line);
}

const results = new Map<number, PlayedSeed | null>();
let next = 0;

/** Reports what is played by now, without a gap. */
function reportInOrder(): void {
  for (; results.has(next) && !isEnough(); next++) {
    const played = results.get(next);
    results.delete(next);
    if (played) report(played);
  }
}

const isEnough = (): boolean => failed.length > 0 && values['first-breach'];
const seeds = listSeeds();
let handedOut = 0;

async function playSome(): Promise<void> {
  const { mutation, with: withAct } = values;
  const player = new SeedPlayer({ mutation, kind, withAct });
  while (performance.now() < endsAt && !isEnough()) {
    const { value: seed, done } = seeds.next();
    if (done) break;
    const place = handedOut++;
    results.set(place, await player.play(seed, values));
    reportInOrder();
  }
  player.close();
}

await Promise.all(Array.from({ length: values.seed === undefined ? Number(values.jobs) : 1 }, playSome));
const minutes = (performance.now() - began) / 60_000;
console.log(
  `${count} seeds, ${failed.length} with a breach, ${Math.round(count / minutes)} schedules a minute, ` +
    `${(cpuMs / 1_000 / Math.max(1, count)).toFixed(3)} s of processor time each`,
);
if (known.size > 0)
  console.log(`known findings: ${[...known].map(([finding, seeds]) => `${finding} in ${seeds}`).join(', ')}`);
if (happened.size > 0)
  console.log(`what people did: ${[...happened].map(([what, times]) => `${what} ${times}`).join(', ')}`);
if (failed.length > 0)
  console.log(
    `One again: npm run simulate -- ${kind === 'usual' ? '' : `--kind ${kind} `}--seed ${failed[0]} --shrink`,
  );
if (fixed.length > 0)
  console.log(`seeds that break nothing any more: ${fixed.join(', ')}. Take them out of test/simulator/known-seeds.ts`);
console.log(`digest of all traces: ${digest.digest('hex')}`);
const pairs = table.list();
if (values.pairs) {
  for (const { one, other, seeds, obstacle } of pairs) console.log([one, other, seeds, obstacle ?? ''].join('\t'));
  for (const line of summarizePairs(pairs)) console.log(line);
}
if (positionals[0] !== undefined) writeFileSync(positionals[0], toPage(pairs, count, kind));
const wrong = listWrongObstacles(pairs);
for (const { one, other } of wrong)
  console.log(`${one} and ${other} have met: they do not belong in test/simulator/world/cannot-meet.ts`);
process.exit(failed.length === 0 && fixed.length === 0 && wrong.length === 0 ? 0 : 1);
