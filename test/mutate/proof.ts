import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../suites.ts';
import { CACHE } from './cache.ts';
import { groupTests, type TestReach, toMostMs } from './group-tests.ts';
import { digest, type Mutation } from './mutation.ts';
import { playSeeds, type SeedReach } from './seeds.ts';
import { playTests } from './units.ts';

/** What killed a mutation, the cheapest proof first, or that nothing did. */
export interface Proof {
  readonly id: string;
  readonly by: 'units' | 'sequences' | 'seeds' | 'nothing';
  /** It never ended, so its killer is a time limit. */
  readonly isTimeout: boolean;
  /** The test that failed, or the seed and what it broke. */
  readonly first: string;
  /** Test files and seeds that reach the place and were played with it. */
  readonly tests: number;
  readonly seeds: number;
  readonly seconds: number;
}

export interface Means {
  readonly tests: readonly TestReach[];
  readonly sequences: readonly SeedReach[];
  readonly seeds: readonly SeedReach[];
  /** Time of the tests of one mutation, without it. */
  readonly mostTestMs: number;
  /** Seeds of each kind that are played with one mutation. */
  readonly mostSeeds: number;
}

export async function prove(mutation: Mutation, means: Means): Promise<Proof> {
  const began = performance.now();
  const { id, file, operator, start, end, after, at } = mutation;
  const change = { file, operator, start, end, after, at };
  let tests = 0;
  let seeds = 0;
  const finish = (by: Proof['by'], isTimeout: boolean, first: string): Proof => {
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { id, by, isTimeout, first, tests, seeds, seconds };
  };
  for (const group of groupTests(mutation, means.tests, means.mostTestMs)) {
    tests += group.length;
    const play = { change, tests: group.map((each) => each.file) };
    let played = await playTests(play, toMostMs(group));
    // A machine that does much else is no proof.
    if (played.kind === 'timeout') played = await playTests(play, 3 * toMostMs(group));
    if (played.kind !== 'passed') return finish('units', played.kind === 'timeout', played.first);
  }
  for (const by of ['sequences', 'seeds'] as const) {
    const { kind, first, played } = await playSeeds(mutation, means[by], means.mostSeeds);
    seeds += played;
    if (kind !== 'held') return finish(by, kind === 'timeout', first);
  }
  return finish('nothing', false, '');
}

/** Proofs of earlier runs, so that an interrupted one goes on. */
export class Proofs {
  readonly #file = join(CACHE, 'proofs.ndjson');
  readonly #known = new Map<string, Proof>();
  readonly #tree: string;

  /** @param tree a digest of all code: with another one, a survivor is played again */
  constructor(tree: string) {
    this.#tree = tree;
    mkdirSync(CACHE, { recursive: true });
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, 'utf8').split('\n').filter(Boolean)) {
      const { key, ...proof } = JSON.parse(line) as Proof & { key: string };
      this.#known.set(key, proof);
    }
  }

  find(mutation: Mutation): Proof | undefined {
    return this.#known.get(killedKey(mutation)) ?? this.#known.get(this.#survivedKey(mutation));
  }

  keep(mutation: Mutation, proof: Proof): void {
    const key = proof.by === 'nothing' ? this.#survivedKey(mutation) : killedKey(mutation);
    this.#known.set(key, proof);
    appendFileSync(this.#file, `${JSON.stringify({ key, ...proof })}\n`);
  }

  #survivedKey({ id }: Mutation): string {
    return `${id} ${this.#tree}`;
  }
}

/** What kills it in this text of its file kills it. */
const killedKey = ({ id, file }: Mutation): string => `${id} ${digest(readFileSync(join(ROOT, file), 'utf8'))}`;

/** Of the code in these folders, with or without its tests. */
export function digestTree(folders: readonly string[], { tests }: { readonly tests: boolean }): string {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: ROOT },
  )
    .filter((file) => tests || !file.endsWith('.test.ts'))
    .toSorted();
  return digest(files.map((file) => `${file}\0${digest(readFileSync(join(ROOT, file), 'utf8'))}`).join('\n'));
}
