import { type Client, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Config, Watch } from '../config/config.ts';
import type { LedgerId } from '../submission/ids.ts';
import { isUnknownSearchAttribute, withoutSearchAttributes } from '../temporal/search-attribute-fallback.ts';
import {
  checkScheduleId,
  checkWorkflowId,
  getTaskQueue,
  isScheduleOf,
  watchScheduleId,
  watchWorkflowId,
} from '../temporal-api/ids.ts';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';
import { WORKFLOW } from '../temporal-api/workflows.ts';

export interface ScheduleChange {
  readonly id: string;
  readonly change: 'created' | 'updated' | 'paused';
}

/** Marks pauses by the program, so that it never undoes a pause that you made in the Web UI. */
const PAUSED_BY_CONFIG = 'paused in the configuration';
const NO_LONGER_CONFIGURED = 'no longer in the configuration';
const HOUR = 3_600_000;

/**
 * Syncs the schedules on the server with the configuration: creates missing ones, updates others, and pauses those whose
 * watch is gone instead of deleting them, so that nothing disappears silently.
 */
export async function reconcileSchedules(client: Client, config: Config, ledger: LedgerId): Promise<ScheduleChange[]> {
  const wanted = [...config.watches.values()].flatMap((watch) => toSchedules(ledger, watch));
  const changes: ScheduleChange[] = [];
  for (const options of wanted) changes.push(await createOrUpdate(client, options));
  const ids = new Set(wanted.map(({ scheduleId }) => scheduleId));
  for await (const { scheduleId, state } of client.schedule.list()) {
    // Other ledgers may share the namespace.
    if (!isScheduleOf(ledger, scheduleId) || ids.has(scheduleId) || state.paused) continue;
    await client.schedule.getHandle(scheduleId).pause(NO_LONGER_CONFIGURED);
    changes.push({ id: scheduleId, change: 'paused' });
  }
  return changes;
}

/** In a namespace without our search attributes, the schedule and its runs go without them. */
async function createOrUpdate(client: Client, options: ScheduleOptions): Promise<ScheduleChange> {
  try {
    return await tryCreateOrUpdate(client, options);
  } catch (error) {
    if (!isUnknownSearchAttribute(error)) throw error;
    const { typedSearchAttributes: _, ...without } = options;
    return tryCreateOrUpdate(client, { ...without, action: withoutSearchAttributes(options.action) });
  }
}

async function tryCreateOrUpdate(client: Client, options: ScheduleOptions): Promise<ScheduleChange> {
  const id = options.scheduleId;
  try {
    await client.schedule.create(options);
    return { id, change: 'created' };
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  await client.schedule.getHandle(id).update((previous) => ({
    spec: options.spec,
    action: options.action,
    policies: { ...options.policies },
    state: mergeScheduleState(previous.state, options.state?.paused ?? false),
  }));
  return { id, change: 'updated' };
}

/** Keeps your pause; a pause by the configuration follows the configuration. */
function mergeScheduleState(
  previous: { paused: boolean; note?: string },
  paused: boolean,
): { paused: boolean; note: string } {
  const byProgram = previous.note === PAUSED_BY_CONFIG || previous.note === NO_LONGER_CONFIGURED;
  if (paused) return { paused: true, note: previous.paused && !byProgram ? (previous.note ?? '') : PAUSED_BY_CONFIG };
  if (previous.paused && !byProgram) return { paused: true, note: previous.note ?? '' };
  return { paused: false, note: '' };
}

function toSchedules(ledger: LedgerId, watch: Watch): ScheduleOptions[] {
  const { id, account, schedule } = watch;
  if (schedule === null) return [];
  const typedSearchAttributes = [
    { key: SEARCH_ATTRIBUTES.ledger, value: ledger },
    { key: SEARCH_ATTRIBUTES.watch, value: id },
    { key: SEARCH_ATTRIBUTES.account, value: account },
  ];
  const common = {
    spec: { cronExpressions: [schedule.cron], timezone: schedule.timezone },
    // Runs never overlap. A run missed in a short outage is made up; a week of missed runs is not.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 6 * HOUR },
    state: { paused: watch.paused, ...(watch.paused ? { note: PAUSED_BY_CONFIG } : {}) },
    typedSearchAttributes,
  };
  const run: ScheduleOptions = {
    ...common,
    scheduleId: watchScheduleId(ledger, id),
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW.watchSitemap,
      workflowId: watchWorkflowId(ledger, id, 'scheduled'),
      taskQueue: getTaskQueue(ledger),
      args: [{ watch: id, account, until: 'accepted' }],
      typedSearchAttributes,
      staticSummary: `Scheduled run of ${id}`,
    },
  };
  if (watch.indexCheck === null) return [run];
  const check: ScheduleOptions = {
    ...common,
    // Checks run half an hour later, so that submissions get the requests first.
    spec: { ...common.spec, cronExpressions: [schedule.cron], jitter: '30 minutes' },
    scheduleId: checkScheduleId(ledger, id),
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW.checkIndex,
      workflowId: checkWorkflowId(ledger, id, 'scheduled'),
      taskQueue: getTaskQueue(ledger),
      args: [{ watch: id, account }],
      typedSearchAttributes,
      staticSummary: `Index-checks of ${id}`,
    },
  };
  return [run, check];
}
