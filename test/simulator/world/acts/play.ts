import type { Act } from '../scenario.ts';
import type { World } from '../world.ts';

/** What happens in an act; it may go on for a while. `random` is the act's own. */
export type Play = (world: World, act: Act, random: () => number) => Promise<void>;

/** What an act returns that found nothing to do: it has met nothing. Other acts return nothing at all, so it has their type. */
export const NOTHING = Symbol('nothing') as unknown as Awaited<ReturnType<Play>>;
