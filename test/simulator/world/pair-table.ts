import { ACT_NAMES } from './acts/index.ts';
import { STATE_NAMES, type StateName } from './acts/states.ts';
import { findObstacle } from './cannot-meet.ts';
import type { Meeting } from './meetings.ts';
import type { ActKind } from './scenario.ts';

const HOUR = 3_600_000;
/** A pair that fewer seeds have is not counted as proved. */
export const ENOUGH = 20;

/** An act, another one or a state, and how many seeds had them meet. */
export interface PairCount {
  readonly one: ActKind;
  readonly other: ActKind | StateName;
  readonly seeds: number;
  /** Why they cannot meet; null: they can. */
  readonly obstacle: string | null;
}

/** Each act and each other one or state, in the order of the program. */
const PAIRS = ACT_NAMES.flatMap((one, n) => [...ACT_NAMES.slice(n), ...STATE_NAMES].map((other) => ({ one, other })));
const ORDER = new Map(ACT_NAMES.map((name, n) => [name as ActKind, n]));

const toKey = (one: ActKind, other: ActKind | StateName): string => {
  const place = ORDER.get(other as ActKind);
  return place !== undefined && place < ORDER.get(one)! ? `${other} × ${one}` : `${one} × ${other}`;
};

/** In how many seeds each act met another one within an hour, or a state that was there when it began. */
export class PairTable {
  readonly #seeds = new Map<string, number>();

  /** What one seed played. */
  add(meetings: readonly Meeting[]): void {
    const met = new Set<string>();
    // Sequences are acts as well, and are played alone.
    const acts = meetings.filter(({ kind }) => ORDER.has(kind));
    for (const [n, { kind, at, states }] of acts.entries()) {
      for (const state of states) met.add(toKey(kind, state));
      for (const other of acts.slice(n + 1)) if (Math.abs(other.at - at) <= HOUR) met.add(toKey(kind, other.kind));
    }
    for (const pair of met) this.#seeds.set(pair, (this.#seeds.get(pair) ?? 0) + 1);
  }

  list(): readonly PairCount[] {
    return PAIRS.map(({ one, other }) => ({
      one,
      other,
      seeds: this.#seeds.get(toKey(one, other)) ?? 0,
      obstacle: findObstacle(one, other),
    }));
  }
}

/** Pairs of which the list says that they cannot meet, and that have met. */
export const listWrongObstacles = (pairs: readonly PairCount[]): readonly PairCount[] =>
  pairs.filter(({ obstacle, seeds }) => obstacle !== null && seeds > 0);

/** Pairs that can meet, and have met too seldom, the rarest first. */
export const listRare = (pairs: readonly PairCount[]): readonly PairCount[] =>
  pairs.filter(({ obstacle, seeds }) => obstacle === null && seeds < ENOUGH).toSorted((a, b) => a.seeds - b.seeds);
