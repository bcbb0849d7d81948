/** A value that `weight` URLs share. */
export type Weighted = readonly [value: number, weight: number];

/** The smallest value that at least this share of the weight does not exceed; null without values. */
export function computePercentile(values: readonly Weighted[], share: number): number | null {
  const sorted = values.filter(([, weight]) => weight > 0).toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, weight]) => sum + weight, 0);
  let below = 0;
  for (const [value, weight] of sorted) {
    below += weight;
    if (below >= share * total) return value;
  }
  return null;
}

/** Half and nine in ten URLs took no longer, in milliseconds. */
export interface Spread {
  readonly urls: number;
  readonly median: number;
  readonly ninth: number;
}

export function computeSpread(values: readonly Weighted[]): Spread | null {
  const median = computePercentile(values, 0.5);
  const ninth = computePercentile(values, 0.9);
  if (median === null || ninth === null) return null;
  return { urls: values.reduce((sum, [, weight]) => sum + weight, 0), median, ninth };
}
