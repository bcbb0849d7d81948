export interface KeptSeed {
  readonly seed: number;
  /** What did not hold when it was first played. */
  readonly broke: string;
}

/** Seeds that showed a defect of ours: `npm run test:faults -- --kept` plays them again. */
export const KEPT_SEEDS: readonly KeptSeed[] = [
  {
    seed: 37,
    broke:
      'pages that only a sitemap cut short had shown stayed for ever, although the whole sitemap did not list them',
  },
];
