import type { Config } from '../config/config.ts';
import { sql } from '../database/sql.ts';
import { recordWatchDays } from '../ledger/reports/watch-days.ts';
import { createNotifier } from '../notify/notify.ts';
import { pingWatches } from '../notify/ping-watches.ts';
import { ping } from '../notify/send.ts';
import { isLogWritable, type Logger } from '../observability/log.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { wakeDispatcher } from '../temporal-api/wake-dispatcher.ts';
import { createUnreadWatch } from './ask-unread.ts';
import type { Connector } from './connector.ts';
import { forecastRuns } from './forecast.ts';
import { type Chore, type Housekeeping, startHousekeeping } from './housekeeping.ts';
import { findMissing } from './missing-key.ts';
import { pruneDetails } from './prune-details.ts';
import { readBalances } from './read-balances.ts';
import { createReload } from './reload.ts';
import { updateSchedules } from './schedules.ts';
import { createBuildWatch } from './watch-builds.ts';
import { createLedgerWatch } from './watch-ledger.ts';
import { writeScheduledReport } from './write-report.ts';

export interface WorkerHousekeepingOptions {
  readonly connector: Connector;
  /** As `--config` names it. */
  readonly path: string;
  readonly config: Config;
  readonly log: Logger;
  /** The build of this worker. */
  readonly version?: DeploymentVersion | undefined;
}

/** What a worker does by the clock of its process. Runs and index-checks are Temporal schedules. */
export function startWorkerHousekeeping({
  connector,
  path,
  config,
  log,
  version,
}: WorkerHousekeepingOptions): Housekeeping {
  const { deps } = connector;
  const { client, ledger } = deps;
  const notifier = createNotifier({
    ledger,
    getConfig: () => deps.config,
    log,
    startedAt: ledger.now(),
    setUndelivered: (is) => connector.setTrouble('notifications', is),
    async forecastPrices() {
      const { accounts } = await forecastRuns({ config: deps.config, ledger, isPaused: () => false });
      return new Map(accounts.map(({ account, newPrices }) => [account, newPrices]));
    },
  });
  let timed = startTimed();
  const watchLedger = createLedgerWatch({
    ask: connector.askLedger,
    now: ledger.now,
    async tell(trouble) {
      if (trouble === null) log.info('the ledger can be written again');
      else log.error(trouble.why);
      await notifier.tellLedger(trouble);
    },
    stop: connector.stop,
  });

  const askUnread = createUnreadWatch({ getConfig: () => deps.config, ledger }, (account) =>
    wakeDispatcher(client, ledger.id, account),
  );

  const watchBuilds = createBuildWatch({
    ...{ temporal: { client, namespace: client.options.namespace }, ledger: ledger.id, version, log },
    setTrouble: connector.setTrouble,
  });

  const reload = createReload({
    path,
    config,
    log,
    setInvalid: (is) => connector.setTrouble('configuration', is),
    async apply(after) {
      connector.replaceConfig(after);
      await timed.close();
      timed = startTimed();
    },
  });

  /** The configuration that the schedules have. */
  let scheduled = config;

  /** Apart from the reload: on a slow server hundreds of schedules take half a minute, and the rest must not wait. */
  async function syncSchedules(): Promise<void> {
    const after = deps.config;
    if (after === scheduled || deps.stopping.aborted) return;
    const changes = await updateSchedules(client, { before: scheduled, after }, ledger.id, deps.stopping);
    scheduled = after;
    for (const { id, change } of changes) log.debug({ schedule: id }, `schedule ${id}: ${change}`);
    if (changes.length > 0) log.info({ schedules: changes.length }, 'the schedules are as configured again');
  }

  /** What runs at times that the configuration sets, and a reload may change. */
  function startTimed(): Housekeeping {
    const { notify, report, retention } = deps.config;
    const stopping = new AbortController();
    const due: Chore[] = [];
    // Of several workers one queues it: to the minute they agree on the occasion.
    const queueDigest = () => notifier.queueDigest(new Date(ledger.now()).toISOString().slice(0, 16));
    if (notify.digest !== null) due.push({ name: 'digest', ...notify.digest, run: queueDigest });
    if (report !== null) {
      const { cron, timezone } = report;
      due.push({ name: 'report', cron, timezone, run: () => writeScheduledReport(ledger, deps.config, report, log) });
    }
    if (retention !== null) {
      const { cron, timezone } = retention;
      const run = () => pruneDetails(ledger, retention, log, stopping.signal);
      due.push({ name: 'retention', cron, timezone, run });
    }
    const started = startHousekeeping(due, log);
    return {
      async close() {
        stopping.abort();
        await started.close();
      },
    };
  }

  const chores: Chore[] = [
    { name: 'reload', everySeconds: 1, run: reload },
    { name: 'schedules', everySeconds: 1, run: syncSchedules },
    { name: 'unread jobs', everySeconds: 5, run: askUnread },
    { name: 'credentials', everySeconds: 5, run: () => connector.refreshCredentials() },
    { name: 'ledger', everySeconds: 5, run: watchLedger },
    { name: 'builds', everySeconds: 30, run: watchBuilds },
    { name: 'keys', everySeconds: 30, run: watchKeys },
    { name: 'log', everySeconds: 5, run: async () => connector.setTrouble('log', !isLogWritable()) },
    { name: 'balances', cron: '*/5 * * * *', run: () => readBalances(deps) },
    { name: 'notifications', cron: '20 * * * * *', run: notifier.check },
    { name: 'delivery', everySeconds: 10, run: notifier.deliver },
    { name: 'watch pings', cron: '40 * * * * *', run: () => pingWatches(ledger, deps.config, ping) },
    { name: 'worker ping', cron: '*/5 * * * *', run: pingWorker },
    // Late in the UTC day: a report shows each day as it was when it was last counted.
    {
      name: 'daily figures',
      cron: '50 23 * * *',
      timezone: 'UTC',
      run: async () => void (await recordWatchDays(ledger)),
    },
    { name: 'retention of messages', cron: '17 3 * * *', run: notifier.forget },
  ];

  /** For the metrics: a request that needs the key fails with a line of the log. */
  async function watchKeys(): Promise<void> {
    const isMissing = [...deps.config.accounts.values()].some(({ apiKey }) => findMissing(apiKey) !== null);
    connector.setTrouble('key', isMissing);
  }

  /** Only while the ledger can be read: a worker that cannot do its work must not seem to. */
  async function pingWorker(): Promise<void> {
    const address = deps.config.notify.ping;
    if (address === null) return;
    await ledger.db.get(sql`SELECT value FROM ledger_settings LIMIT 1`);
    await ping(address);
  }

  const housekeeping = startHousekeeping(chores, log);
  return {
    async close() {
      await housekeeping.close();
      await timed.close();
    },
  };
}
