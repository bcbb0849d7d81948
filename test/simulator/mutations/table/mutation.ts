import type { SeedKind } from '../../world/draw-scenario.ts';
import type { Need } from '../../world/focused.ts';

/** A text of a file, which is there once, and what stands in its place. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** It changes nothing before the last character of `from` runs; else before the first. */
  readonly actsAtEnd?: boolean;
}

/** A deliberate defect. */
export interface Mutation extends Change {
  readonly name: string;
  /** Further layers that would hide it, taken away as well. */
  readonly also?: readonly Change[];
  /** What a seed must have in it to find the defect: those without are not played, and count as played. */
  readonly needs?: readonly Need[];
  /** The kind of seeds that shows it; absent: sequences where it needs one, else focused seeds. */
  readonly kind?: SeedKind;
}
