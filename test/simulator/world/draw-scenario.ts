import { toFocusedScenario } from './focused.ts';
import { toKnownScenario } from './known/known-seeds.ts';
import { toPairedScenario } from './paired.ts';
import { toPeopleScenario } from './people.ts';
import { type Scenario, type Size, toScenario } from './scenario.ts';
import { toSequenceScenario } from './sequence-seeds.ts';
import { toServiceScenario } from './service-seeds.ts';
import { toVariedScenario } from './varied.ts';

/**
 * How a schedule is drawn from its seed: `focused` ones play few kinds of acts, each often and at a named moment, those of
 * `sequence` one of the known sequences, `varied` ones are focused ones with two accounts, `service` ones are focused ones
 * with other services, `paired` ones let two acts, or an act and a state, meet, and `people` ones are focused ones among people.
 * `mixed` ones are of all these, in the shares of MIX. `known` ones play the sequences that show known breaches, and are expected to break a rule.
 */
export type SeedKind = Size | 'focused' | 'sequence' | 'varied' | 'service' | 'paired' | 'people' | 'mixed' | 'known';

/** Of twenty seeds that follow each other. */
const MIX = toMix({ usual: 1, small: 2, focused: 2, sequence: 5, varied: 2, service: 2, paired: 3, people: 3 });

function toMix(shares: Readonly<Record<Exclude<SeedKind, 'mixed' | 'known'>, number>>): readonly SeedKind[] {
  return (Object.keys(shares) as (keyof typeof shares)[]).flatMap((kind) => Array(shares[kind]).fill(kind));
}

/** The seeds of each kind follow each other, too: seed 20 n begins with the n-th ones. */
function drawMixed(seed: number): Scenario {
  const place = seed % MIX.length;
  const kind = MIX[place]!;
  const first = MIX.indexOf(kind);
  const share = MIX.lastIndexOf(kind) - first + 1;
  return { ...drawScenario(Math.floor(seed / MIX.length) * share + place - first, kind), seed };
}

export function drawScenario(seed: number, kind: SeedKind): Scenario {
  switch (kind) {
    case 'focused':
      return toFocusedScenario(seed);
    case 'sequence':
      return toSequenceScenario(seed);
    case 'varied':
      return toVariedScenario(seed);
    case 'service':
      return toServiceScenario(seed);
    case 'paired':
      return toPairedScenario(seed);
    case 'people':
      return toPeopleScenario(seed);
    case 'mixed':
      return drawMixed(seed);
    case 'known':
      return toKnownScenario(seed);
    default:
      return toScenario(seed, kind);
  }
}
