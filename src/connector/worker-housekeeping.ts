import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/log.ts';
import type { Connector } from './connector.ts';
import { type Housekeeping, startHousekeeping } from './housekeeping.ts';
import { createReload } from './reload.ts';
import { updateSchedules } from './schedules.ts';

export interface WorkerHousekeepingOptions {
  readonly connector: Connector;
  /** As `--config` names it. */
  readonly path: string;
  readonly config: Config;
  readonly log: Logger;
}

/** What a worker does by the clock of its process. Runs and index-checks are Temporal schedules. */
export function startWorkerHousekeeping({ connector, path, config, log }: WorkerHousekeepingOptions): Housekeeping {
  const { client, ledger } = connector.deps;
  const reload = createReload({
    path,
    config,
    log,
    async apply(after, before) {
      connector.replaceConfig(after);
      for (const { id, change } of await updateSchedules(client, { before, after }, ledger.id))
        log.debug({ schedule: id }, `schedule ${id}: ${change}`);
    },
  });
  return startHousekeeping([{ name: 'reload', cron: '* * * * * *', run: reload }], log);
}
