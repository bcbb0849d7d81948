import type { SeedKind } from './world/draw-scenario.ts';

/** A seed that breaks a rule until its cause is fixed. Where rule and amount tell the cause, an entry of world/known explains it. */
export interface KnownSeed {
  readonly kind: SeedKind;
  readonly seed: number;
  /** The letter of the finding, and where it lies. */
  readonly cause: string;
}

/** A seed that no longer breaks anything fails the run that plays it, and is taken out. */
export const KNOWN_SEEDS: readonly KnownSeed[] = [];

export const findKnownSeed = (kind: SeedKind, seed: number): KnownSeed | undefined =>
  KNOWN_SEEDS.find((each) => each.kind === kind && each.seed === seed);
