import { seeded } from '../../support/seeded.ts';
import { toFocusedScenario } from './focused.ts';
import { HABIT_NAMES, HABITS, type HabitName } from './habits.ts';
import type { Scenario } from './scenario.ts';

/** Of seeds that may have it. */
const SHARE = 0.25;

/** Each habit has a stream of its own, by its name: another one leaves what a seed has of the others as it is. */
function toStream(seed: number, name: string): () => number {
  let hash = seed ^ 0x9e0b;
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return seeded(hash);
}

/** The focused seed of the same number, among people: what they configure, decide, and do late. */
export function toPeopleScenario(seed: number): Scenario {
  let scenario = toFocusedScenario(seed);
  const habits: HabitName[] = [];
  for (const name of HABIT_NAMES) {
    const random = toStream(seed, name);
    if (random() >= SHARE) continue;
    const change = HABITS[name](scenario, random);
    if (change === null) continue;
    scenario = { ...scenario, ...change };
    habits.push(name);
  }
  return { ...scenario, habits };
}
