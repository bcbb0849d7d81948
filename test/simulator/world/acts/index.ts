import { seeded } from '../../../support/seeded.ts';
import { KNOWN_PLAYS } from '../known/index.ts';
import { onTerminal } from '../programs.ts';
import type { Act, ActKind } from '../scenario.ts';
import { SEQUENCE_PLAYS } from '../sequences/index.ts';
import type { World } from '../world.ts';
import { ACCOUNT_PLAYS } from './account.ts';
import { atBadMoment } from './bad-moment.ts';
import { CHARGE_PLAYS } from './charges.ts';
import { CLOCK_PLAYS } from './clocks.ts';
import { CONFIGURATION_PLAYS } from './configuration.ts';
import { DISASTER_PLAYS } from './disasters.ts';
import { ELSEWHERE_PLAYS } from './elsewhere.ts';
import { LEVEL_PLAYS } from './levels.ts';
import { MOMENTS } from './moments.ts';
import { NAME_PLAYS } from './names.ts';
import { OPERATOR_PLAYS } from './operator.ts';
import { OUTAGE_PLAYS } from './outages.ts';
import { PEOPLE_SITE_PLAYS } from './people-sites.ts';
import { PLAN_PLAYS } from './plans.ts';
import { NOTHING, type Play } from './play.ts';
import { PROGRAM_PLAYS } from './programs.ts';
import { RETENTION_PLAYS } from './retention.ts';
import { RUN_PLAYS } from './runs.ts';
import { SCHEDULE_PLAYS } from './schedules.ts';
import { SERVICE_PLAYS } from './service.ts';
import { SITE_PLAYS } from './sites.ts';
import { listStates, STATE_MOMENTS } from './states.ts';

/** Acts of which a seed may have any; the others play a whole sequence, alone. */
const ACTS = {
  ...RUN_PLAYS,
  ...PROGRAM_PLAYS,
  ...ACCOUNT_PLAYS,
  ...CONFIGURATION_PLAYS,
  ...SITE_PLAYS,
  ...OPERATOR_PLAYS,
  ...DISASTER_PLAYS,
  ...SCHEDULE_PLAYS,
  ...SERVICE_PLAYS,
  ...OUTAGE_PLAYS,
  ...RETENTION_PLAYS,
  ...ELSEWHERE_PLAYS,
  ...CHARGE_PLAYS,
};
export const ACT_NAMES = Object.keys(ACTS) as (keyof typeof ACTS)[];
/** Acts of people, which seeds of the kind `people` have. */
const PEOPLE_ACTS = { ...LEVEL_PLAYS, ...PEOPLE_SITE_PLAYS, ...PLAN_PLAYS, ...CLOCK_PLAYS, ...NAME_PLAYS };
const PLAYS: Readonly<Record<ActKind, Play>> = { ...ACTS, ...PEOPLE_ACTS, ...SEQUENCE_PLAYS, ...KNOWN_PLAYS };
const ALL_MOMENTS = { ...MOMENTS, ...STATE_MOMENTS };

/** Begins an act; it may go on for a while. `alone`: never while batches are under way. */
export function beginAct(world: World, act: Act, { alone = false }: { readonly alone?: boolean } = {}): void {
  world.kernel.trace(`ACT ${act.kind}`);
  const random = seeded(act.salt);
  onTerminal(async () => {
    if (act.moment !== undefined) await ALL_MOMENTS[act.moment](world, act, random);
    else if (!alone && !world.scenario.isFocused && !world.scenario.isSequence) await atBadMoment(world, act, random);
    if (act.besides !== undefined) await STATE_MOMENTS[act.besides](world, act, random);
    const endMeeting = world.meetings.begin(act.kind, world.kernel.elapsed, listStates(world));
    if ((await PLAYS[act.kind](world, act, random)) === NOTHING) endMeeting();
  }).catch((error: unknown) => world.oracle.breach(`the act "${act.kind}" failed: ${(error as Error).message}`));
}
