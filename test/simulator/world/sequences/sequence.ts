import type { Play } from '../acts/play.ts';
import type { Scenario } from '../scenario.ts';

/** Events that must come in this order to show a certain kind of defect, and what the world must be like for them. */
export interface Sequence {
  /** What differs from the world that a seed draws. */
  readonly world?: Partial<Scenario>;
  /** Ends when its events are over; the rest of the time is not played. */
  readonly play: Play;
}
