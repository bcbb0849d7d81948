/**
 * Makes mutations from the code and says what kills each: npm run mutate -- [--module src/ledger/money] [--sample N --seed S]
 * [--only ID] [--kind small] [--list] [--json]. Exit code 1 when one survives without a judgement. See docs/contributing/mutations.md.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { generate } from './generate.ts';
import type { TestReach } from './group-tests.ts';
import { JUDGEMENTS, type Judgement, readJudgements } from './judgements.ts';
import { listSources } from './modules.ts';
import { digest, drawSample, type Mutation } from './mutation.ts';
import {
  digestTree,
  KILLERS,
  type Proof,
  Proofs,
  proveBySeeds,
  proveByTests,
  type SeedMeans,
  type TestMeans,
} from './proof.ts';
import { measureSeeds, type SeedReach } from './seeds.ts';
import { Types } from './types.ts';
import { listCandidates, measureReach } from './units.ts';

const { values } = parseArgs({
  options: {
    /** Files of these modules, or these files; all modules of money, limits and guards without it. */
    module: { type: 'string', multiple: true, default: [] },
    /** So many, drawn by the seed; all without it. */
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Ids, or the beginnings of ids. */
    only: { type: 'string', multiple: true, default: [] },
    /** Shows the mutations and plays none. */
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** Plays those again whose proof is known. */
    again: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** Seconds of tests of a mutation, measured without it. */
    'test-seconds': { type: 'string', default: '60' },
    /** Seeds of each kind with a mutation that tests do not kill; 0: none. */
    seeds: { type: 'string', default: '40' },
    /** Kinds of seeds that are played; all without it. */
    kind: { type: 'string', multiple: true, default: [] },
  },
});

/** Seeds whose reach is measured, once for each state of the code. */
const MEASURED = {
  ...{ sequence: 124, focused: 100, varied: 60, service: 60, paired: 100, people: 100, small: 100, usual: 20 },
} as const;
const SLICE = 20;

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const pool = generate(listSources(values.module)).filter(
  ({ id }) => values.only.length === 0 || values.only.some((only) => id.startsWith(only)),
);
const chosen = values.sample === undefined ? pool : drawSample(pool, Number(values.sample), values.seed);
say(`${pool.length} mutations, ${chosen.length} of them chosen`);
if (values.list) {
  for (const { id, line, before, shown } of chosen) console.log(`${id} line ${line}\n  - ${before}\n  + ${shown}`);
  process.exit(0);
}

/** Does the work of a list, `jobs` at a time. */
async function share<T>(work: readonly T[], play: (item: T, n: number) => Promise<void>): Promise<void> {
  const waiting = work.entries();
  await Promise.all(
    Array.from({ length: Number(values.jobs) }, async () => {
      for (const [n, item] of waiting) await play(item, n);
    }),
  );
}

const CODE = ['src', 'activities', 'workflows', 'contract', 'service'];

/** One way to prove the mutations that nothing cheaper has killed. */
interface Stage<M> {
  readonly name: string;
  /** A digest of all that it plays and runs. */
  readonly means: string;
  readonly measure: () => Promise<M>;
  readonly prove: (mutation: Mutation, measured: M) => Promise<Proof>;
  readonly close?: (measured: M) => void;
}

const byTests: Stage<TestMeans> = {
  name: 'tests',
  means: `tests ${digest(digestTree([...CODE, 'test'], { tests: true }) + values['test-seconds'])}`,
  async measure() {
    const tests: TestReach[] = [];
    await share(listCandidates(), async (file) => {
      const reach = await measureReach(file);
      tests.push(reach);
      if (!reach.passes) say(`${file} fails without a mutation and counts for nothing`);
    });
    return { types: new Types(), tests, mostMs: Number(values['test-seconds']) * 1_000 };
  },
  prove: proveByTests,
  close: ({ types }) => types.close(),
};

const code = digestTree([...CODE, 'test/simulator'], { tests: false });
const bySeeds: Stage<SeedMeans> = {
  name: 'seeds',
  means: `seeds ${digest(`${code}${values.seeds}${values.kind.join()}`)}`,
  async measure() {
    const kinds = Object.entries(MEASURED).filter(([kind]) => values.kind.length === 0 || values.kind.includes(kind));
    // Several slices of a kind, so that all processors have work.
    const slices = kinds.flatMap(([kind, count]) =>
      Array.from({ length: Math.ceil(count / SLICE) }, (_, n) => ({
        kind: kind as keyof typeof MEASURED,
        seeds: Array.from({ length: Math.min(SLICE, count - SLICE * n) }, (_, m) => SLICE * n + m + 1),
      })),
    );
    const measured: SeedReach[] = [];
    await share(slices, async ({ kind, seeds }) => {
      measured.push(...(await measureSeeds(kind, seeds, code)));
    });
    const inOrder = measured.toSorted((a, b) => a.seed - b.seed);
    const [sequences = [], seeds = []] = [true, false].map((is) =>
      inOrder.filter(({ kind }) => (kind === 'sequence') === is),
    );
    return { sequences, seeds, most: Number(values.seeds) };
  },
  prove: proveBySeeds,
};

const judgements = readJudgements();
const proofs = new Proofs();
const found = new Map<string, Proof[]>();
const isAlive = ({ id }: Mutation) => found.get(id)?.every(({ by }) => by === 'nothing') !== false;
const began = performance.now();
await play(byTests);
if (Number(values.seeds) > 0) await play(bySeeds);

/** Plays what is left alive; those without a judgement first. */
async function play<M>({ name, means, measure, prove, close }: Stage<M>): Promise<void> {
  const add = (proof: Proof) => found.set(proof.id, [...(found.get(proof.id) ?? []), proof]);
  const alive = chosen.filter(isAlive);
  const left: Mutation[] = [];
  for (const mutation of alive) {
    const proof = values.again ? undefined : proofs.find(mutation, means);
    if (proof === undefined) left.push(mutation);
    else add(proof);
  }
  say(`${name}: ${alive.length - left.length} are known from an earlier run, ${left.length} to play`);
  if (left.length === 0) return;
  const measured = await measure();
  say(`${name}: measured in ${toMinutes(performance.now() - began)}`);
  const started = performance.now();
  let done = 0;
  const rank = ({ id }: Mutation) => (judgements[id] === undefined ? 0 : 1);
  await share(
    left.toSorted((a, b) => rank(a) - rank(b)),
    async (mutation) => {
      const proof = await prove(mutation, measured);
      proofs.keep(mutation, proof, means);
      add(proof);
      done += 1;
      const rest = toMinutes(((performance.now() - started) / done) * (left.length - done));
      const how = `${proof.by}${proof.isTimeout ? ' (timeout)' : ''}, ${proof.seconds} s`;
      say(`${name} ${done}/${left.length}, about ${rest} left: ${mutation.id} ${how} ${proof.first}`);
    },
  );
  close?.(measured);
}

interface Line {
  readonly mutation: Mutation;
  /** What killed it; where nothing did, how many tests and seeds it survived. */
  readonly proofs: readonly Proof[];
  readonly by: Proof['by'];
  readonly judgement: Judgement | null;
}

const lines = chosen.map((mutation): Line => {
  const all = found.get(mutation.id)!;
  return { mutation, proofs: all, by: all.at(-1)!.by, judgement: judgements[mutation.id] ?? null };
});
const survivors = lines.filter(({ by }) => by === 'nothing');
const unjudged = survivors.filter(({ judgement }) => judgement === null);
if (values.json) console.log(JSON.stringify(lines, null, 2));
else showTables();
process.exit(unjudged.length === 0 ? 0 : 1);

function toMinutes(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

function showTables(): void {
  console.log('| killed by | mutations | share | |\n| --- | ---: | ---: | --- |');
  const row = (name: string, all: readonly Line[]) => {
    const late = all.filter((line) => line.proofs.some(({ isTimeout }) => isTimeout)).length;
    const share = ((100 * all.length) / Math.max(1, lines.length)).toFixed(1);
    console.log(`| ${name} | ${all.length} | ${share}% | ${late === 0 ? '' : `${late} by a time limit`} |`);
  };
  for (const killer of KILLERS) {
    row(
      killer,
      lines.filter(({ by }) => by === killer),
    );
  }
  for (const is of JUDGEMENTS) {
    row(
      `survived: ${is}`,
      survivors.filter(({ judgement }) => judgement?.is === is),
    );
  }
  row('survived without a judgement', unjudged);
  console.log(`\n${lines.length} mutations, ${toMinutes(performance.now() - began)}`);
  if (survivors.length === 0) return;
  console.log('\n| survivor | before | after | tests | seeds | judgement |\n| --- | --- | --- | ---: | ---: | --- |');
  for (const {
    mutation,
    judgement,
    proofs: [tests, seeds],
  } of [...unjudged, ...survivors.filter(({ judgement }) => judgement !== null)]) {
    const { id, line, before, shown } = mutation;
    const verdict = judgement === null ? 'NONE' : `${judgement.is}: ${judgement.why}`;
    const cells = [`${id}, line ${line}`, before, shown, tests?.played, seeds?.played ?? '', verdict];
    console.log(`| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`);
  }
}
