import type { Output } from '../cli-kit/output.ts';
import type { Config } from '../config/config.ts';
import { listNextRuns } from '../config/next-runs.ts';
import { hasServer } from '../connector/state-folder.ts';
import { withTemporal } from '../connector/temporal-server.ts';
import { TemporalAccessError } from '../temporal/access-error.ts';
import { TemporalUnreachableError } from '../temporal/unreachable.ts';
import { watchScheduleId } from '../temporal-api/ids.ts';
import type { CommandContext } from './with-ledger.ts';

export interface ScheduleState {
  readonly paused: boolean;
  /** Null while it is paused. */
  readonly nextAt: number | null;
}

/**
 * The schedules of the watches, by name, as the Temporal server has them. Where none is configured and none runs, cron starts
 * the runs: then they are those of the configuration. The same, with a notice, while the server does not respond.
 */
export async function readSchedules(
  { config, file, ledger }: CommandContext,
  output: Output,
): Promise<ReadonlyMap<string, ScheduleState>> {
  if (!hasServer(config, file)) return readConfigured(config);
  const schedules = new Map<string, ScheduleState>();
  try {
    await withTemporal(config, file, async ({ client }) => {
      const watches = new Map([...config.watches.keys()].map((id) => [watchScheduleId(ledger.id, id), id]));
      for await (const { scheduleId, info, state } of client.schedule.list()) {
        const watch = watches.get(scheduleId);
        const next = info?.nextActionTimes[0]?.getTime() ?? null;
        if (watch !== undefined) schedules.set(watch, { paused: state.paused, nextAt: state.paused ? null : next });
      }
    });
  } catch (error) {
    if (error instanceof TemporalAccessError) {
      output.say(`${error.problem}, so the next runs are those of the configuration. ${error.next}.`);
      return readConfigured(config);
    }
    if (!(error instanceof TemporalUnreachableError)) throw error;
    output.say('Temporal does not answer, so the next runs are those of the configuration.');
    return readConfigured(config);
  }
  return schedules;
}

const readConfigured = ({ watches }: Config): ReadonlyMap<string, ScheduleState> =>
  new Map(
    [...watches.values()].flatMap(({ id, schedule, paused }) =>
      schedule === null ? [] : [[id, { paused, nextAt: paused ? null : (listNextRuns(schedule, 1)[0] ?? null) }]],
    ),
  );
