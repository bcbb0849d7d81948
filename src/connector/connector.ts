import { ApplicationFailure } from '@temporalio/common';
import type { Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import type { Config } from '../config/config.ts';
import { placesOf } from '../ledger/jobs/list-positions.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { Logger } from '../observability/log.ts';
import { accountBoard } from '../rate-limit/account-job-status.ts';
import type { StatusBoard } from '../rate-limit/job-status-loader.ts';
import { type AccountApi, accountApi } from '../rate-limit/limited-client.ts';
import { openBudgets } from '../rate-limit/limiter.ts';
import { budgetLimits } from '../rate-limit/limits.ts';
import type { AccountId, Reference } from '../submission/ids.ts';
import type { UnknownWord } from '../submission/words.ts';
import { connectClient, connectWorker, type TemporalSettings } from '../temporal/connect.ts';
import { ensureSearchAttributes } from '../temporal/ensure-search-attributes.ts';
import { FAILURE_TYPE } from '../temporal-api/failure-types.ts';
import { TASK_QUEUE } from '../temporal-api/ids.ts';
import { clientOf } from './service-client.ts';
import { createCourierWorker } from './worker.ts';

export interface Connector {
  readonly deps: Deps;
  /** Works until `stop`, then lets go of everything. Rejects when the worker fails. */
  run(): Promise<void>;
  /** Finishes what is under way: a request on its way is answered and recorded, a crawl stops where it is. */
  stop(): void;
}

/** Puts the rooms together: one worker over one configuration. */
export async function openConnector(config: Config, temporal: TemporalSettings, log: Logger): Promise<Connector> {
  const opened = new AsyncDisposableStack();
  try {
    return await connectorOver(opened, config, temporal, log);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Everything opened is let go of through `opened`, in the opposite order, also when half of it could not be opened. */
async function connectorOver(
  opened: AsyncDisposableStack,
  config: Config,
  temporal: TemporalSettings,
  log: Logger,
): Promise<Connector> {
  const keep = <T extends { close(): Promise<void> }>(resource: T): T => opened.adopt(resource, (each) => each.close());
  const ledger = keep(await openLedger(config.ledgerUrl));
  const budgets = keep(await openBudgets(config.ledgerUrl));
  const { client, connection, namespace } = await connectClient(temporal);
  keep(connection);
  await ensureSearchAttributes(connection, namespace);
  const native = await connectWorker(temporal, log);
  keep(native.connection);
  const apis = new Map<AccountId, AccountApi>();
  const boards = new Map<AccountId, StatusBoard>();
  const tracked = new Map<AccountId, Set<Reference>>();
  const stopping = new AbortController();

  const unknownWord =
    (id: AccountId) =>
    ({ of, word }: UnknownWord): void =>
      log.warn(
        { account: id, of, word },
        `the service says "${word}" of a ${of === 'url' ? 'URL' : of}, which is not known: it counts as open. See docs/other-services.md`,
      );

  const deps: Deps = {
    config,
    watchOf: (id) => config.watches.get(id) ?? notConfigured(`watch "${id}"`),
    accountOf: (id) => config.accounts.get(id) ?? notConfigured(`account "${id}"`),
    apiOf(id) {
      const account = deps.accountOf(id);
      const known = apis.get(id);
      if (known !== undefined) return known;
      const budget = budgets.budgetOf(id, budgetLimits(account.limits, account.limits.minuteMs));
      const api = keep(accountApi(clientOf(account, unknownWord(account.id)), budget));
      apis.set(id, api);
      return api;
    },
    boardOf(id) {
      const known =
        boards.get(id) ??
        accountBoard(deps.apiOf(id), budgets.sightingsOf(id), (references) => placesOf(ledger, id, references));
      boards.set(id, known);
      return known;
    },
    tracked(id) {
      const known = tracked.get(id) ?? new Set();
      tracked.set(id, known);
      return known;
    },
    ledger,
    client,
    taskQueue: TASK_QUEUE,
    log,
    now: Date.now,
    random: Math.random,
    stopping: stopping.signal,
  };
  const worker = await createCourierWorker({
    connection: native.connection,
    namespace,
    activities: createActivities(deps),
  });

  return {
    deps,
    async run() {
      try {
        await worker.run();
      } finally {
        await opened.disposeAsync();
      }
    },
    stop() {
      stopping.abort(new Error('the worker was asked to end'));
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** Ids in the ledger and in workflows outlive the configuration. */
function notConfigured(what: string): never {
  throw ApplicationFailure.create({
    type: FAILURE_TYPE.notConfigured,
    message: `There is no ${what} in this worker's configuration. Nothing was sent; put it back, or end the workflow.`,
    nextRetryDelay: '5 minutes',
  });
}
