import { pick, seeded } from '../../support/seeded.ts';
import { NO_CAPS } from './oracle/caps-rule.ts';
import { type ActKind, AMPLE, EPOCHS, makePages, type Scenario } from './scenario.ts';
import { SEQUENCES, type SequenceName } from './sequences/index.ts';
import type { Sequence } from './sequences/sequence.ts';

const NAMES = Object.keys(SEQUENCES) as SequenceName[];
const MINUTE = 60_000;

/** Longer than any sequence. */
const MOST_MS = 60 * 60 * MINUTE;

/**
 * One sequence of events, in a world without other faults and acts: what varies is how much of everything there is. Seeds that
 * follow each other have all of them in turn.
 */
export const toSequenceScenario = (seed: number): Scenario =>
  drawSequence(seed, NAMES[seed % NAMES.length]!, SEQUENCES);

/** A world for one sequence of these. */
export function drawSequence<Name extends ActKind>(
  seed: number,
  name: Name,
  sequences: Readonly<Record<Name, Sequence>>,
): Scenario {
  const random = seeded(seed ^ 0x5e9c);
  const chance = (share: number) => random() < share;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const sitemaps = ['w0', 'w1', ...(chance(0.3) ? ['w2'] : [])];
  const drawn: Scenario = {
    seed,
    isSequence: true,
    epoch: pick(random, EPOCHS),
    configuresPrice: chance(0.5),
    caps: NO_CAPS,
    fails: false,
    listLagMs: 0,
    watches: new Map(sitemaps.map((each) => [each, makePages(random, each, 'a', between(1, 3), { fails: false })])),
    schedules: new Map(),
    workers: 1,
    faultShare: 0,
    siteFaultShare: 0,
    tooLarge: null,
    balance: AMPLE,
    price: 250_000,
    jobMs: between(1, 10) * MINUTE,
    latencyMs: chance(0.5) ? 20 : between(20, 2_000),
    storageShare: chance(0.5) ? 0 : random() * 0.3,
    forgetsKeys: chance(0.5),
    suggestAfter: chance(0.8) ? 4_000 : between(50, 200),
    runPollMs: between(30, 300) * 1_000,
    pollsSeldom: chance(0.8),
    runsUntil: chance(0.5) ? 'accepted' : 'planned',
    goodAt: MOST_MS,
    acts: [{ at: 0, kind: name, forMs: 0, salt: Math.floor(random() * 2 ** 31) }],
  };
  const { world } = sequences[name];
  return { ...drawn, ...world };
}
