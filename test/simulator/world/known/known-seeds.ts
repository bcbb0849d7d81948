import type { Scenario } from '../scenario.ts';
import { drawSequence } from '../sequence-seeds.ts';
import { KNOWN, KNOWN_NAMES, type KnownName } from './index.ts';

/** The entry that a seed plays: all of them in turn. */
export const toKnownName = (seed: number): KnownName => KNOWN_NAMES[seed % KNOWN_NAMES.length]!;

export const toKnownScenario = (seed: number): Scenario => drawSequence(seed, toKnownName(seed), KNOWN);
