import type { SeedKind } from '../world/draw-scenario.ts';
import { SEQUENCES } from '../world/sequences/index.ts';
import type { Mutation } from './table/mutation.ts';

/** The kind of seeds that a mutation is shown. */
export const toKind = ({ needs = [], kind }: Mutation): SeedKind =>
  kind ?? (needs.some((need) => need in SEQUENCES) ? 'sequence' : 'focused');
