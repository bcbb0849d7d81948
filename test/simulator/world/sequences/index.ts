import type { Play } from '../acts/play.ts';
import { ANSWER_SEQUENCES } from './answers.ts';
import { CAP_SEQUENCES } from './caps.ts';
import { CHANGE_SEQUENCES } from './changes.ts';
import { CHARGE_SEQUENCES } from './charges.ts';
import { CHECK_SEQUENCES } from './checks.ts';
import { COMPARISON_SEQUENCES } from './comparisons.ts';
import { COPY_SEQUENCES } from './copies.ts';
import { DECISION_SEQUENCES } from './decisions.ts';
import { DOUBT_SEQUENCES } from './doubt.ts';
import { PAGE_SEQUENCES } from './pages.ts';
import { PLAN_SEQUENCES } from './plans.ts';
import { RESET_SEQUENCES } from './resets.ts';
import type { Sequence } from './sequence.ts';
import { VERSION_SEQUENCES } from './versions.ts';
import { WAIT_SEQUENCES } from './waits.ts';

export const SEQUENCES = {
  ...DOUBT_SEQUENCES,
  ...CAP_SEQUENCES,
  ...COPY_SEQUENCES,
  ...CHANGE_SEQUENCES,
  ...WAIT_SEQUENCES,
  ...PLAN_SEQUENCES,
  ...ANSWER_SEQUENCES,
  ...CHECK_SEQUENCES,
  ...COMPARISON_SEQUENCES,
  ...RESET_SEQUENCES,
  ...DECISION_SEQUENCES,
  ...VERSION_SEQUENCES,
  ...CHARGE_SEQUENCES,
  ...PAGE_SEQUENCES,
} satisfies Record<string, Sequence>;

export type SequenceName = keyof typeof SEQUENCES;

export const toPlay =
  ({ play }: Sequence): Play =>
  async (world, act, random) => {
    await play(world, act, random);
    world.kernel.trace('the sequence is over');
    world.isOver = true;
  };

/** Each as an act, which a seed of the kind `sequence` has alone. */
export const SEQUENCE_PLAYS = Object.fromEntries(
  Object.entries(SEQUENCES).map(([name, sequence]) => [name, toPlay(sequence)]),
) as Readonly<Record<SequenceName, Play>>;
