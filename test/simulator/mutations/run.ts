/**
 * Plays seeds with each of the deliberate defects, and says how many each needed to be found:
 * npm run simulate:mutations -- [--seeds N] [--seconds S] [--only EXPRESSION] [--small]. Exit code 1 when one was not found.
 *
 * A seed is played once without a defect; then with those alone whose place in the code it ran, because the others leave
 * its trace as it is. A seed that breaks a rule without a defect finds none.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SeedPlayer } from '../seed-player.ts';
import { mutate } from './load.ts';
import { MUTATIONS } from './table.ts';

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
  },
});

/** Seeds that all play before those that were not found play as many again. */
const FIRST_BLOCK = 16;

interface Found {
  readonly seeds: number;
  readonly breach: string;
}

const settings = { size: values.small ? 'small' : 'usual', withAct: values.with } as const;
const first = Number(values.from);
const endsAt = performance.now() + Number(values.seconds) * 1_000;
const isOver = (): boolean => performance.now() >= endsAt;
const names = MUTATIONS.filter(({ name }) => new RegExp(values.only).test(name)).map((mutation) => {
  mutate(mutation);
  return mutation.name;
});
const found = new Map<string, Found>();
/** How many seeds a mutation was shown, and how many of them ran its place. */
const shown = new Map(names.map((name) => [name, { seeds: 0, ran: 0 }]));
const reaching = Array.from({ length: Number(values.jobs) }, () => new SeedPlayer({ ...settings, showsReach: true }));

/** Does the work of a list, a job for each worker at a time. */
async function share<T, W>(workers: readonly W[], work: readonly T[], play: (worker: W, item: T) => Promise<void>) {
  const waiting = work.values();
  await Promise.all(
    workers.map(async (worker) => {
      for (const item of waiting) await play(worker, item);
    }),
  );
}

/** Which of the mutations each seed of a block can find. */
async function listReached(block: readonly number[]): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const reached = new Map<number, ReadonlySet<string>>();
  await share(reaching, block, async (player, seed) => {
    if (isOver()) return;
    const played = await player.play(seed);
    if (played !== null && played.breaches.length > 0) console.log(`seed ${seed} without a defect: ${played.breaches}`);
    reached.set(seed, new Set(played === null || played.breaches.length > 0 ? [] : played.reached));
  });
  return reached;
}

async function search(name: string, reached: ReadonlyMap<number, ReadonlySet<string>>): Promise<void> {
  const player = new SeedPlayer({ ...settings, mutation: name });
  const mine = shown.get(name)!;
  try {
    for (const [seed, reachable] of [...reached].toSorted(([a], [b]) => a - b)) {
      if (isOver()) return;
      mine.seeds += 1;
      if (!reachable.has(name)) continue;
      mine.ran += 1;
      const breach = (await player.play(seed))?.breaches[0];
      if (breach === undefined) continue;
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
for (let n = 0; n < Number(values.seeds) && !isOver(); n = Math.max(FIRST_BLOCK, 2 * n)) {
  const left = names.filter((name) => !found.has(name));
  if (left.length === 0) break;
  const size = Math.min(Math.max(FIRST_BLOCK, n), Number(values.seeds) - n);
  const reached = await listReached(Array.from({ length: size }, (_, at) => first + n + at));
  await share(reaching, left, (_, name) => search(name, reached));
}
for (const player of reaching) player.close();
const missed = names.filter((name) => !found.has(name));
for (const name of missed) show(name);
console.log(`${names.length - missed.length} of ${names.length} found`);
process.exit(missed.length === 0 ? 0 : 1);
