/**
 * Makes mutations from the code and says what kills each: npm run mutate -- [--module src/ledger/money] [--sample N --seed S]
 * [--only ID] [--list] [--json]. Exit code 1 when one survives without a judgement. See docs/contributing/mutations.md.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { generate } from './generate.ts';
import type { TestReach } from './group-tests.ts';
import { JUDGEMENTS, type Judgement, readJudgements } from './judgements.ts';
import { listSources } from './modules.ts';
import { digest, drawSample, type Mutation } from './mutation.ts';
import { digestTree, type Means, type Proof, Proofs, prove } from './proof.ts';
import { measureSeeds, type SeedReach } from './seeds.ts';
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
  },
});

/** Seeds whose reach is measured, once for each state of the code. */
const MEASURED = { sequence: 98, focused: 100, varied: 60, service: 60, small: 100, usual: 20 } as const;

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

async function measure(): Promise<Means> {
  const tests: TestReach[] = [];
  const candidates = listCandidates();
  await share(candidates, async (file) => {
    const reach = await measureReach(file);
    tests.push(reach);
    if (!reach.passes) say(`${file} fails without a mutation and counts for nothing`);
  });
  say(`${tests.length} test files measured`);
  const seeds: SeedReach[] = [];
  const code = digestTree(['src', 'activities', 'workflows', 'contract', 'service', 'test/simulator'], {
    tests: false,
  });
  const kinds = Number(values.seeds) === 0 ? [] : Object.entries(MEASURED);
  // Several slices of a kind, so that all processors have work.
  const slices = kinds.flatMap(([kind, count]) =>
    Array.from({ length: Math.ceil(count / 20) }, (_, n) => ({
      kind: kind as keyof typeof MEASURED,
      seeds: Array.from({ length: Math.min(20, count - 20 * n) }, (_, m) => 20 * n + m + 1),
    })),
  );
  await share(slices, async ({ kind, seeds: slice }) => {
    seeds.push(...(await measureSeeds(kind, slice, code)));
  });
  const inOrder = seeds.toSorted((a, b) => a.seed - b.seed);
  say(`${seeds.length} seeds measured`);
  const [sequences = [], others = []] = [true, false].map((is) =>
    inOrder.filter(({ kind }) => (kind === 'sequence') === is),
  );
  return {
    ...{ tests, sequences, seeds: others },
    mostTestMs: Number(values['test-seconds']) * 1_000,
    mostSeeds: Number(values.seeds),
  };
}

const tree = digestTree(['src', 'activities', 'workflows', 'contract', 'service', 'test'], { tests: true });
const proofs = new Proofs(digest(`${tree}${values.seeds}${values['test-seconds']}`));
const judgements = readJudgements();
const found = new Map<string, Proof>();
for (const mutation of values.again ? [] : chosen) {
  const proof = proofs.find(mutation);
  if (proof !== undefined) found.set(mutation.id, proof);
}
const left = chosen.filter(({ id }) => !found.has(id));
say(`${found.size} are known from an earlier run, ${left.length} to play`);
const began = performance.now();
if (left.length > 0) {
  const means = await measure();
  const started = performance.now();
  let done = 0;
  await share(left, async (mutation) => {
    const proof = await prove(mutation, means);
    proofs.keep(mutation, proof);
    found.set(mutation.id, proof);
    done += 1;
    const perHour = Math.round((done * 3_600_000) / (performance.now() - started));
    const how = `${proof.by}${proof.isTimeout ? ' (timeout)' : ''}`;
    say(`${done}/${left.length} ${how} ${proof.seconds} s, ${perHour} an hour: ${mutation.id} ${proof.first}`);
  });
}

interface Line extends Proof {
  readonly mutation: Mutation;
  readonly judgement: Judgement | null;
}

const lines = chosen.map((mutation): Line => {
  return { ...found.get(mutation.id)!, mutation, judgement: judgements[mutation.id] ?? null };
});
const survivors = lines.filter(({ by }) => by === 'nothing');
const unjudged = survivors.filter(({ judgement }) => judgement === null);
if (values.json) console.log(JSON.stringify(lines, null, 2));
else showTable();
process.exit(unjudged.length === 0 ? 0 : 1);

function showTable(): void {
  const share = (count: number) => `${count} | ${((100 * count) / Math.max(1, lines.length)).toFixed(1)}%`;
  const row = (name: string, all: readonly Line[]) => {
    const late = all.filter(({ isTimeout }) => isTimeout).length;
    console.log(`| ${name} | ${share(all.length)} | ${late === 0 ? '' : `${late} by a time limit`} |`);
  };
  console.log(`| killed by | mutations | share | |\n| --- | ---: | ---: | --- |`);
  for (const by of ['units', 'sequences', 'seeds'] as const)
    row(
      by,
      lines.filter((each) => each.by === by),
    );
  for (const is of JUDGEMENTS) {
    row(
      `survived: ${is}`,
      survivors.filter(({ judgement }) => judgement?.is === is),
    );
  }
  row('survived without a judgement', unjudged);
  console.log(`\n${lines.length} mutations, ${Math.round((performance.now() - began) / 1_000)} s`);
  for (const { mutation, judgement, tests, seeds } of survivors) {
    const { file, line, id, before, shown } = mutation;
    console.log(`\n${file}:${line} ${judgement === null ? 'NOT JUDGED' : `${judgement.is}: ${judgement.why}`}`);
    console.log(`  ${id}\n  - ${before}\n  + ${shown}\n  held ${tests} test files and ${seeds} seeds that reach it`);
  }
}
