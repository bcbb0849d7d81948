import { toFocusedScenario } from './focused.ts';
import { toKnownScenario } from './known/known-seeds.ts';
import { type Scenario, type Size, toScenario } from './scenario.ts';
import { toSequenceScenario } from './sequence-seeds.ts';
import { toServiceScenario } from './service-seeds.ts';
import { toVariedScenario } from './varied.ts';

/**
 * How a schedule is drawn from its seed: `focused` ones play few kinds of acts, each often and at a named moment, those of
 * `sequence` one of the known sequences, `varied` ones are focused ones with two accounts, and `service` ones are focused ones
 * with other services. `known` ones play the sequences that show known breaches, and are expected to break a rule.
 */
export type SeedKind = Size | 'focused' | 'sequence' | 'varied' | 'service' | 'known';

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
    case 'known':
      return toKnownScenario(seed);
    default:
      return toScenario(seed, kind);
  }
}
