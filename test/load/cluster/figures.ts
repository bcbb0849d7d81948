/** How long batches waited, of one watch or account. */
export interface Waited {
  readonly account: string;
  readonly watch: string;
  readonly waitMs: number;
}

export interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

/** Null for none. */
export function computeSpread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
  return { median: at(0.5), p99: at(0.99), most: at(1) };
}

export interface Fairness {
  /** Of all batches. */
  readonly all: Spread;
  /** Of the medians of the watches, and of the accounts: the worst is `most`. */
  readonly watches: Spread;
  readonly accounts: Spread;
  /** Of the batches of watches with one batch, which wait beside watches with many; null: there are none. */
  readonly small: Spread | null;
  readonly large: Spread | null;
}

/** Null when no batch was accepted. */
export function computeFairness(batches: readonly Waited[]): Fairness | null {
  const waits = (some: readonly Waited[]) => some.map(({ waitMs }) => waitMs);
  const all = computeSpread(waits(batches));
  const byWatch = Map.groupBy(batches, ({ watch }) => watch);
  const byAccount = Map.groupBy(batches, ({ account }) => account);
  const medians = (groups: ReadonlyMap<string, readonly Waited[]>) =>
    computeSpread([...groups.values()].map((group) => computeSpread(waits(group))!.median));
  const watches = medians(byWatch);
  const accounts = medians(byAccount);
  if (all === null || watches === null || accounts === null) return null;
  const [small, large] = [
    [...byWatch.values()].filter((group) => group.length === 1),
    [...byWatch.values()].filter((group) => group.length > 1),
  ].map((groups) => computeSpread(waits(groups.flat())));
  return { all, watches, accounts, small: small ?? null, large: large ?? null };
}
