/**
 * Plays seeds with each of the deliberate defects, and says how many each needed to be found:
 * npm run simulate:mutations -- [--seeds N] [--seconds S] [--only EXPRESSION] [--kind KIND]. Exit code 1 when one was not
 * found. Without a kind, a mutation is shown seeds of the kind that it names, those of a sequence that it needs, else focused ones.
 *
 * A mutation that says what it needs is shown those seeds alone that have it in them; the others count as played.
 * For the other mutations a seed is played once without a defect, and then with those alone whose place in the code it
 * ran, because the others leave its trace as it is. A seed that breaks a rule without a defect finds none, nor does one that
 * does not end in time: another machine would say otherwise.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { parseKind } from '../parse-kind.ts';
import { SeedPlayer } from '../seed-player.ts';
import { drawScenario, type SeedKind } from '../world/draw-scenario.ts';
import { listFeatures, type Need } from '../world/focused.ts';
import { mutate } from './load.ts';
import { MUTATIONS } from './table/index.ts';
import type { Mutation } from './table/mutation.ts';
import { toKind as toUsualKind } from './to-kind.ts';

const { values } = parseArgs({
  options: {
    /** For each mutation at most. */
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    /** For all together. */
    seconds: { type: 'string', default: '3600' },
    /** Mutations whose name matches this expression. */
    only: { type: 'string', default: '' },
    /** Seeds with this act alone; the others count as played. */
    with: { type: 'string' },
    /** Processes that play at a time. */
    jobs: { type: 'string', default: String(availableParallelism()) },
    small: { type: 'boolean', default: false },
    kind: { type: 'string' },
    /** Seeds of each mutation that are played at most, of those that have what it needs. */
    plays: { type: 'string', default: '2000' },
  },
});

/** Seeds that all play before those that were not found play as many again. */
const FIRST_BLOCK = 16;

interface Found {
  readonly seeds: number;
  readonly breach: string;
}

const named = values.small
  ? 'small'
  : values.kind === undefined
    ? null
    : parseKind({ kind: values.kind, small: false });
const toKind = (mutation: Mutation): SeedKind => named ?? toUsualKind(mutation);
const first = Number(values.from);
const endsAt = performance.now() + Number(values.seconds) * 1_000;
const isOver = (): boolean => performance.now() >= endsAt;
const chosen = MUTATIONS.filter(({ name }) => new RegExp(values.only).test(name));
for (const mutation of chosen) mutate(mutation);
const names = chosen.map(({ name }) => name);
const seeds = Array.from({ length: Number(values.seeds) }, (_, n) => first + n);
const kinds = [...new Set(chosen.map(toKind))];
const features = new Map<SeedKind, ReadonlyMap<number, ReadonlySet<Need>>>(
  kinds
    .filter((kind) => kind !== 'usual' && kind !== 'small')
    .map((kind) => [kind, new Map(seeds.map((seed) => [seed, listFeatures(drawScenario(seed, kind))]))]),
);
const candidates = new Map(chosen.map((mutation) => [mutation.name, listCandidates(mutation)]));

/** The seeds that have in them what a mutation needs. */
function listCandidates(mutation: Mutation): readonly number[] {
  const { needs = [] } = mutation;
  const has = features.get(toKind(mutation));
  const having = seeds.filter((seed) => needs.every((need) => has?.get(seed)?.has(need) ?? true));
  return having.slice(0, Number(values.plays));
}

const found = new Map<string, Found>();
/** How many seeds a mutation was shown, and how many of them were played with it. */
const shown = new Map(names.map((name) => [name, { seeds: 0, ran: 0 }]));
const workers = Array.from({ length: Number(values.jobs) }, () => ({
  /** Shows of a seed of each kind which mutations it can find. */
  reaching: new Map(
    kinds.map((kind) => [kind, new SeedPlayer({ kind, withAct: values.with, showsReach: true })] as const),
  ),
}));
type Worker = (typeof workers)[number];

/** Does the work of a list, a job for each worker at a time. */
async function share<T, W>(workers: readonly W[], work: readonly T[], play: (worker: W, item: T) => Promise<void>) {
  const waiting = work.values();
  await Promise.all(
    workers.map(async (worker) => {
      for (const item of waiting) await play(worker, item);
    }),
  );
}

/** Which of the mutations a seed of each kind can find: none, when it breaks a rule without them. */
const reached = new Map(kinds.map((kind) => [kind, new Map<number, ReadonlySet<string>>()]));

async function playWithout(player: SeedPlayer, kind: SeedKind, seed: number): Promise<void> {
  if (isOver() || reached.get(kind)?.has(seed)) return;
  const played = await player.play(seed);
  if (played !== null && played.breaches.length > 0)
    console.log(`${kind} seed ${seed} without a defect: ${played.breaches}`);
  reached.get(kind)!.set(seed, new Set(played === null || played.breaches.length > 0 ? [] : played.reached));
}

async function playAllWithout(kind: SeedKind, block: readonly number[]): Promise<void> {
  const fresh = [...new Set(block)].toSorted((a, b) => a - b);
  await share(workers, fresh, ({ reaching }, seed) => playWithout(reaching.get(kind)!, kind, seed));
}

async function search(worker: Worker, mutation: Mutation, block: readonly number[]): Promise<void> {
  const { name, needs } = mutation;
  const kind = toKind(mutation);
  const player = new SeedPlayer({ kind, withAct: values.with, mutation: name });
  const mine = shown.get(name)!;
  try {
    for (const seed of block) {
      if (isOver()) return;
      mine.seeds = seed - first + 1;
      if (needs === undefined && reached.get(kind)?.get(seed)?.has(name) !== true) continue;
      mine.ran += 1;
      const played = await player.play(seed);
      const breach = played?.breaches[0];
      if (breach === undefined) continue;
      if (played?.isCut) {
        console.log(`${kind} seed ${seed} with "${name}": ${breach}, which counts for nothing`);
        continue;
      }
      await playWithout(worker.reaching.get(kind)!, kind, seed);
      if ((reached.get(kind)!.get(seed)?.size ?? 0) === 0) continue;
      found.set(name, { seeds: seed - first + 1, breach });
      show(name);
      return;
    }
  } finally {
    player.close();
  }
}

function show(name: string): void {
  const { seeds, ran } = shown.get(name)!;
  const what = found.get(name)?.breach.replaceAll('|', '/').slice(0, 100) ?? 'not found';
  console.log(`| ${name} | ${found.get(name)?.seeds ?? seeds} | ${ran} | ${what} |`);
}

console.log('| defect | seeds | of them ran its place | what broke |\n| --- | --- | --- | --- |');
for (let n = 0; n < seeds.length && !isOver(); n = Math.max(FIRST_BLOCK, 2 * n)) {
  const left = chosen.filter(({ name }) => !found.has(name));
  if (left.length === 0) break;
  const getBlock = ({ name }: Mutation) => candidates.get(name)!.slice(n, Math.max(FIRST_BLOCK, 2 * n));
  for (const kind of kinds) {
    const free = left.filter((mutation) => mutation.needs === undefined && toKind(mutation) === kind);
    await playAllWithout(kind, free.flatMap(getBlock));
  }
  await share(workers, left, (worker, mutation) => search(worker, mutation, getBlock(mutation)));
}
for (const { reaching } of workers) for (const player of reaching.values()) player.close();
const missed = names.filter((name) => !found.has(name));
for (const name of missed) show(name);
console.log(`${names.length - missed.length} of ${names.length} found`);
process.exit(missed.length === 0 ? 0 : 1);
