import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SeedPlayer } from '../simulator/seed-player.ts';
import type { SeedKind } from '../simulator/world/draw-scenario.ts';
import { CACHE } from './cache.ts';
import { hasRun, type Ran } from './coverage.ts';
import { toChange } from './load-change.ts';
import type { Mutation } from './mutation.ts';

/** What a seed runs without a mutation. One that breaks a rule then proves nothing. */
export interface SeedReach {
  readonly kind: SeedKind;
  readonly seed: number;
  readonly holds: boolean;
  readonly ran: Ran;
}

export interface SeedsPlayed {
  readonly kind: 'held' | 'broken' | 'timeout';
  /** Which seed broke which rule. */
  readonly first: string;
  readonly played: number;
}

/** Takes about a tenth of a second without a mutation. */
const MOST_MS = 240_000;

/**
 * Plays seeds once without a mutation.
 *
 * @param tree a digest of all code: the answer is kept for it
 */
export async function measureSeeds(kind: SeedKind, seeds: readonly number[], tree: string): Promise<SeedReach[]> {
  const kept = join(CACHE, 'seeds', `${tree.slice(0, 16)}-${kind}-${seeds[0]}-${seeds.length}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as SeedReach[];
  const player = new SeedPlayer({ kind, showsRan: true });
  const reaches: SeedReach[] = [];
  for (const seed of seeds) {
    const played = await player.play(seed);
    if (played === null) continue;
    reaches.push({ kind, seed, holds: played.breaches.length === 0, ran: played.ran ?? {} });
  }
  player.close();
  mkdirSync(join(CACHE, 'seeds'), { recursive: true });
  writeFileSync(kept, JSON.stringify(reaches));
  return reaches;
}

/** Plays with a mutation the seeds that reach its place, `most` of each kind, until a rule is broken. */
export async function playSeeds(mutation: Mutation, reaches: readonly SeedReach[], most: number): Promise<SeedsPlayed> {
  const change = toChange(mutation);
  let count = 0;
  for (const [kind, all] of Map.groupBy(reaches, (each) => each.kind)) {
    const reaching = all.filter(({ holds, ran }) => holds && hasRun(ran, mutation)).slice(0, most);
    const player = new SeedPlayer({ kind, change, mostMs: MOST_MS });
    try {
      for (const { seed } of reaching) {
        count += 1;
        const played = await player.play(seed);
        const breach = played?.breaches[0];
        if (breach === undefined) continue;
        const first = `${kind} ${seed}: ${breach.slice(0, 160)}`;
        return { kind: played?.isCut ? 'timeout' : 'broken', first, played: count };
      }
    } finally {
      player.close();
    }
  }
  return { kind: 'held', first: '', played: count };
}
