import { type Micros, micros, ZERO } from '../../../contract/money.ts';

/** The amounts of these, without those that are not known. */
export const sumOf = <T>(all: readonly T[], pick: (each: T) => Micros | null): Micros =>
  all.reduce((sum, each) => micros(sum + (pick(each) ?? 0)), ZERO);
