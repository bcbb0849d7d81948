import type { Play } from '../acts/play.ts';
import type { Breach } from '../oracle/breaches.ts';
import { toPlay } from '../sequences/index.ts';
import type { KnownBreach } from './known-breach.ts';

/** Defects that wait for their fix: docs/contributing/simulator.md. One that no longer shows must be taken out. */
const ALL = {} satisfies Record<string, KnownBreach>;

export type KnownName = keyof typeof ALL;
export const KNOWN: Readonly<Record<string, KnownBreach>> = ALL;
export const KNOWN_NAMES = Object.keys(KNOWN) as KnownName[];

/** The finding that is exactly the cause of a breach; null: none is. */
export const findKnown = (breach: Breach): string | null =>
  Object.values(KNOWN).find(({ explains }) => explains?.(breach) === true)?.finding ?? null;

/** Each as an act, which a seed of the kind `known` has alone. */
export const KNOWN_PLAYS = Object.fromEntries(
  Object.entries(KNOWN).map(([name, sequence]) => [name, toPlay(sequence)]),
) as Readonly<Record<KnownName, Play>>;
