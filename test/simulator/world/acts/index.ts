import { seeded } from '../../../support/seeded.ts';
import { KNOWN_PLAYS } from '../known/index.ts';
import { onTerminal } from '../programs.ts';
import type { Act, ActKind } from '../scenario.ts';
import { SEQUENCE_PLAYS } from '../sequences/index.ts';
import type { World } from '../world.ts';
import { ACCOUNT_PLAYS } from './account.ts';
import { atBadMoment } from './bad-moment.ts';
import { CONFIGURATION_PLAYS } from './configuration.ts';
import { DISASTER_PLAYS } from './disasters.ts';
import { MOMENTS } from './moments.ts';
import { OPERATOR_PLAYS } from './operator.ts';
import type { Play } from './play.ts';
import { PROGRAM_PLAYS } from './programs.ts';
import { RUN_PLAYS } from './runs.ts';
import { SCHEDULE_PLAYS } from './schedules.ts';
import { SERVICE_PLAYS } from './service.ts';
import { SITE_PLAYS } from './sites.ts';

const PLAYS: Readonly<Record<ActKind, Play>> = {
  ...RUN_PLAYS,
  ...PROGRAM_PLAYS,
  ...ACCOUNT_PLAYS,
  ...CONFIGURATION_PLAYS,
  ...SITE_PLAYS,
  ...OPERATOR_PLAYS,
  ...DISASTER_PLAYS,
  ...SCHEDULE_PLAYS,
  ...SERVICE_PLAYS,
  ...SEQUENCE_PLAYS,
  ...KNOWN_PLAYS,
};

/** Begins an act; it may go on for a while. `alone`: never while batches are under way. */
export function beginAct(world: World, act: Act, { alone = false }: { readonly alone?: boolean } = {}): void {
  world.kernel.trace(`ACT ${act.kind}`);
  const random = seeded(act.salt);
  onTerminal(async () => {
    if (act.moment !== undefined) await MOMENTS[act.moment](world, act, random);
    else if (!alone && !world.scenario.isFocused && !world.scenario.isSequence) await atBadMoment(world, act, random);
    await PLAYS[act.kind](world, act, random);
  }).catch((error: unknown) => world.oracle.breach(`the act "${act.kind}" failed: ${(error as Error).message}`));
}
