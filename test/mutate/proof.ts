import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../suites.ts';
import { CACHE } from './cache.ts';
import { groupTests, type TestReach, toMostMs } from './group-tests.ts';
import { toChange } from './load-change.ts';
import { digest, type Mutation } from './mutation.ts';
import { playSeeds, type SeedReach } from './seeds.ts';
import type { Types } from './types.ts';
import { playTests } from './units.ts';

export const KILLERS = ['types', 'units', 'sequences', 'seeds'] as const;

/** What killed a mutation, the cheapest proof first, or that nothing of a stage did. */
export interface Proof {
  readonly id: string;
  readonly by: (typeof KILLERS)[number] | 'nothing';
  /** It never ended, so its killer is a time limit. */
  readonly isTimeout: boolean;
  /** The error, the test that failed, or the seed and what it broke. */
  readonly first: string;
  /** Test files or seeds that reach the place and were played with it. */
  readonly played: number;
  readonly seconds: number;
}

export interface TestMeans {
  readonly types: Types;
  readonly tests: readonly TestReach[];
  /** Time of the tests of one mutation, without it. */
  readonly mostMs: number;
}

export interface SeedMeans {
  readonly sequences: readonly SeedReach[];
  readonly seeds: readonly SeedReach[];
  /** Seeds of each kind that are played with one mutation. */
  readonly most: number;
}

/** With the compiler, then with the tests that run the place, nearest and fastest first. */
export async function proveByTests(mutation: Mutation, { types, tests, mostMs }: TestMeans): Promise<Proof> {
  const finish = startProof(mutation);
  const change = toChange(mutation);
  const error = types.findError(change);
  if (error !== null) return finish('types', { first: error });
  let played = 0;
  for (const group of groupTests(mutation, tests, mostMs)) {
    played += group.length;
    const play = { change, tests: group.map((each) => each.file) };
    let { kind, first } = await playTests(play, toMostMs(group));
    // A machine that does much else is no proof.
    if (kind === 'timeout') ({ kind, first } = await playTests(play, 3 * toMostMs(group)));
    if (kind !== 'passed') return finish('units', { isTimeout: kind === 'timeout', first, played });
  }
  return finish('nothing', { played });
}

/** With the sequences that run the place, then with the other seeds. */
export async function proveBySeeds(mutation: Mutation, means: SeedMeans): Promise<Proof> {
  const finish = startProof(mutation);
  let all = 0;
  for (const by of ['sequences', 'seeds'] as const) {
    const { kind, first, played } = await playSeeds(mutation, means[by], means.most);
    all += played;
    if (kind !== 'held') return finish(by, { isTimeout: kind === 'timeout', first, played: all });
  }
  return finish('nothing', { played: all });
}

function startProof({ id }: Mutation) {
  const began = performance.now();
  return (by: Proof['by'], found: Partial<Proof>): Proof => {
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { isTimeout: false, first: '', played: 0, ...found, id, by, seconds };
  };
}

/** Proofs of earlier runs, so that an interrupted one goes on. */
export class Proofs {
  readonly #file = join(CACHE, 'proofs.ndjson');
  readonly #known = new Map<string, Proof>();

  constructor() {
    mkdirSync(CACHE, { recursive: true });
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, 'utf8').split('\n').filter(Boolean)) {
      const { key, ...proof } = JSON.parse(line) as Proof & { key: string };
      this.#known.set(key, proof);
    }
  }

  /** @param means a digest of all that a stage plays and runs: with another one, what survived it is played again */
  find(mutation: Mutation, means: string): Proof | undefined {
    return this.#known.get(killedKey(mutation)) ?? this.#known.get(`${mutation.id} ${means}`);
  }

  keep(mutation: Mutation, proof: Proof, means: string): void {
    const key = proof.by === 'nothing' ? `${mutation.id} ${means}` : killedKey(mutation);
    this.#known.set(key, proof);
    appendFileSync(this.#file, `${JSON.stringify({ key, ...proof })}\n`);
  }
}

/** What kills it in this text of its file kills it. */
const killedKey = ({ id, file }: Mutation): string => `${id} ${digest(readFileSync(join(ROOT, file), 'utf8'))}`;

/** Of the code in these folders, with or without its tests, and without this tool. */
export function digestTree(folders: readonly string[], { tests }: { readonly tests: boolean }): string {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: ROOT },
  )
    .filter((file) => (tests || !file.endsWith('.test.ts')) && !file.startsWith('test/mutate/'))
    .toSorted();
  return digest(files.map((file) => `${file}\0${digest(readFileSync(join(ROOT, file), 'utf8'))}`).join('\n'));
}
