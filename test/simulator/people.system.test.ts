import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SeedPlayer } from './seed-player.ts';
import type { HabitName } from './world/habits.ts';
import { toPeopleScenario } from './world/people.ts';

/** What each habit does, as the world counts it when it happens. */
const DOES: Readonly<Record<HabitName, readonly string[]>> = {
  'two levels': ['both prices change', 'a level changes'],
  'decides later': [
    'a site is relaunched',
    'a held run is looked at',
    'a held run is approved later',
    'a held run is rejected for its cost',
    'a held run is never decided',
  ],
  'plans first': [
    'a plan is kept',
    'a plan is applied',
    'a plan is refused: STALE_PLAN',
    'a plan, again, is refused: PLAN_APPLIED',
    'a run has a limit',
    'a limit holds pages back',
  ],
  'own clocks': ['a clock is ahead', 'a clock is behind', 'a clock is wrong by days', 'a clock is corrected'],
  'shared pages': ['a sitemap changes its format', 'an edited page is listed', 'a shared page is edited'],
  'moves and renames': [
    'a failed page moves',
    'a failed page is back',
    'a watch has its name back',
    'a watch is back after a day',
  ],
  policies: ['max_new holds a run', 'max_new_percent holds a run', 'max_changed holds a run', 'a baseline adopts'],
};
/** Seeds of each habit that are played: what is drawn seldom must come in one of them. */
const SEEDS_EACH = 16;

const player = new SeedPlayer({ kind: 'people' });
const counts = new Map<string, number>();
const broken: string[] = [];

/** The seeds of a habit that have the fewest others, and of them the first ones. */
function listSeeds(habit: HabitName): readonly number[] {
  return Array.from({ length: 300 }, (_, n) => toPeopleScenario(n + 1))
    .filter(({ habits = [] }) => habits.includes(habit))
    .toSorted((a, b) => a.habits!.length - b.habits!.length)
    .slice(0, SEEDS_EACH)
    .map(({ seed }) => seed);
}

describe('what people do', () => {
  before(async () => {
    for (const seed of new Set((Object.keys(DOES) as HabitName[]).flatMap(listSeeds))) {
      const played = await player.play(seed);
      for (const breach of played?.breaches ?? ['the seed was not played']) broken.push(`seed ${seed}: ${breach}`);
      for (const [what, times] of played?.happenings ?? []) counts.set(what, (counts.get(what) ?? 0) + times);
    }
  });
  after(() => player.close());

  test('breaks no rule', () => assert.deepEqual(broken, []));

  for (const [habit, does] of Object.entries(DOES)) {
    for (const what of does) {
      test(`${habit}: ${what}`, () => {
        assert.ok((counts.get(what) ?? 0) > 0, [...counts].map((each) => each.join(' ')).join(', '));
      });
    }
  }
});
