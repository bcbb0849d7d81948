import type { WatchId } from '../../../../src/submission/ids.ts';
import { checkScheduleId, watchScheduleId } from '../../../../src/temporal-api/ids.ts';
import { pick } from '../../../support/seeded.ts';
import { createClient } from '../../temporal/client.ts';
import { drawSchedule } from '../scenario.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';

export const SCHEDULE_PLAYS = {
  /** The configuration names other times for a watch, or none for a while. */
  async 'change cron'(world, { forMs }, random) {
    const sitemaps = [...world.settings.schedules.keys()];
    if (sitemaps.length === 0) return NOTHING;
    const sitemap = pick(random, sitemaps);
    const change = () =>
      world.reconfigure(({ schedules }) => ({ schedules: new Map(schedules).set(sitemap, drawSchedule(random)) }));
    if (random() < 0.5) {
      await world.reconfigure(({ schedules }) => ({
        schedules: new Map([...schedules].filter(([each]) => each !== sitemap)),
      }));
      await world.kernel.sleep(forMs);
    }
    await change();
  },
  /** `courier watch pause`, and `resume` later. */
  async 'pause schedule'(world, { forMs }, random) {
    const ids = pickSchedules(world, random);
    if (ids.length === 0) return NOTHING;
    await onEach(world, ids, (handle) => handle.pause('paused with courier watch pause'));
    await world.kernel.sleep(forMs);
    await onEach(world, ids, (handle) => handle.unpause('resumed with courier watch resume'));
  },
  async 'trigger schedule'(world, _act, random) {
    const [id] = pickSchedules(world, random);
    if (id === undefined) return NOTHING;
    await onEach(world, [id], (handle) => handle.trigger());
  },
} satisfies Record<string, Play>;

type Handle = ReturnType<ReturnType<typeof createClient>['schedule']['getHandle']>;

/** Those of a watch: for its runs and its index-checks. */
function pickSchedules({ settings, ledgerId }: World, random: () => number): string[] {
  const watches = [...settings.watches].filter(([, sitemap]) => settings.schedules.has(sitemap));
  if (watches.length === 0) return [];
  const watch = pick(random, watches)[0] as WatchId;
  return [watchScheduleId(ledgerId, watch), checkScheduleId(ledgerId, watch)];
}

/** The operator repeats a command that does not reach the server, and one for a schedule that nobody has made yet. */
async function onEach(world: World, ids: readonly string[], act: (handle: Handle) => Promise<void>): Promise<void> {
  for (const id of ids) {
    for (let attempt = 0; attempt < 20; attempt++) {
      const { schedule } = createClient(world.temporal, world.operator);
      const isDone = await act(schedule.getHandle(id)).then(
        () => true,
        (error: Error) => {
          if (error.name !== 'ServiceError' && error.name !== 'ScheduleNotFoundError') throw error;
          return false;
        },
      );
      if (isDone) break;
      await world.kernel.sleep(60_000);
    }
  }
}
