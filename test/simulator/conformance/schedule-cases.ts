import type { ScheduleOptions } from '@temporalio/client';
import type { Case, Stage } from './cases.ts';

const pass = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

/** A day without a local time, a day with a local hour twice, on both sides of Greenwich; both fields of days. */
const SPECS: readonly (readonly [string, string])[] = [
  ['30 2 28 3 *', 'Europe/Berlin'],
  ['*/30 0-3 31 10 *', 'Europe/Berlin'],
  ['30 2 14 3 *', 'America/New_York'],
  ['*/30 0-2 7 11 *', 'America/New_York'],
  ['15 4 * 12 1', 'Europe/Istanbul'],
  ['0 0 1,15 * 5', 'UTC'],
];
const SHOWN = 9;

const EVERY_SECOND = '* * * * * * *';
/** Years away. */
const NEVER = '0 0 29 2 *';

interface Settings {
  readonly cron: string;
  readonly timezone?: string;
  readonly type?: string;
  readonly paused?: boolean;
}

function toOptions(
  { taskQueue, suffix }: Stage,
  name: string,
  { cron, timezone = 'UTC', type = 'brief', paused = false }: Settings,
): ScheduleOptions {
  return {
    scheduleId: `${name}/${suffix}`,
    spec: { cronExpressions: [cron], timezone },
    action: { type: 'startWorkflow', workflowType: type, workflowId: `${name}/${suffix}`, taskQueue, args: [] },
    policies: { overlap: 'SKIP', catchupWindow: 3_600_000 },
    state: { paused },
  };
}

async function withSchedule<T>(
  stage: Stage,
  name: string,
  settings: Settings,
  work: (handle: Awaited<ReturnType<Stage['client']['schedule']['create']>>) => Promise<T>,
): Promise<T> {
  const handle = await stage.client.schedule.create(toOptions(stage, name, settings));
  try {
    return await work(handle);
  } finally {
    await handle.delete();
  }
}

const nameOfError = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error as Error).name,
  );

/** What the stand-in claims of schedules: cron lines in a zone, no overlap, pauses, triggers, changes. */
export const SCHEDULE_CASES: Readonly<Record<string, Case>> = {
  'a cron line falls on times of its zone, also on days of 23 and 25 hours': (stage) =>
    Promise.all(
      SPECS.map(([cron, timezone], n) =>
        withSchedule(stage, `times-${n}`, { cron, timezone }, async (handle) => {
          const { nextActionTimes } = (await handle.describe()).info;
          return nextActionTimes.slice(0, SHOWN).map((at) => at.toISOString());
        }),
      ),
    ),
  'a schedule starts a run at each of its times, unless the last one still runs': (stage) =>
    withSchedule(stage, 'overlap', { cron: EVERY_SECOND, type: 'lasting' }, async (handle) => {
      // A server that has much to do takes longer for a run, so that more times are skipped.
      for (let waited = 0; ; waited += 500) {
        const { numActionsTaken: taken, numActionsSkippedOverlap: skipped } = (await handle.describe()).info;
        const isEnough = taken >= 2 && skipped >= 3;
        if (isEnough || waited > 30_000) return [isEnough, taken <= skipped];
        await pass(500);
      }
    }),
  'a paused schedule starts nothing, and what it missed is not made up for': (stage) =>
    withSchedule(stage, 'paused', { cron: EVERY_SECOND, paused: true }, async (handle) => {
      await pass(5_000);
      const { info, state } = await handle.describe();
      await handle.unpause('again');
      await pass(3_000);
      const later = await handle.describe();
      const { numActionsTaken } = later.info;
      return [
        [state.paused, info.numActionsTaken, later.state.paused, later.state.note],
        numActionsTaken >= 1 && numActionsTaken <= 4,
      ];
    }),
  'a schedule is triggered, changed, created once and missing after its end': async (stage) => {
    const seen = await withSchedule(stage, 'changed', { cron: NEVER }, async (handle) => {
      const again = await nameOfError(stage.client.schedule.create(toOptions(stage, 'changed', { cron: NEVER })));
      await pass(1_500);
      const before = (await handle.describe()).info.numActionsTaken;
      await handle.trigger();
      await pass(1_500);
      const triggered = (await handle.describe()).info.numActionsTaken;
      await handle.update((previous) => ({
        ...previous,
        spec: { cronExpressions: [EVERY_SECOND], timezone: 'UTC' },
      }));
      await pass(3_500);
      const changed = (await handle.describe()).info.numActionsTaken;
      return [again, before, triggered, changed >= 3 && changed <= 6];
    });
    const gone = stage.client.schedule.getHandle(`changed/${stage.suffix}`);
    return [...seen, await nameOfError(gone.describe())];
  },
};
