/** Seeds that once failed, or that reach a corner worth reaching every time. */
export const KEPT_SEEDS: readonly number[] = [1, 2, 3, 5, 8, 13, 21, 34, 500_256_583];
