import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
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
import { toPriority } from '../temporal-api/run-priority.ts';
import { NOT_BEGUN, SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';
import { describeChecks, describeRun } from '../temporal-api/static-details.ts';
import { WORKFLOW } from '../temporal-api/workflows.ts';
import { isSameSchedule, keepCronLine } from './is-same-schedule.ts';

export interface ScheduleChange {
  readonly id: string;
  readonly change: 'created' | 'updated' | 'paused';
}

/** What a request found: nothing to change is not reported. */
type Put = ScheduleChange | 'unchanged';

/** Marks pauses by the program, so that it never undoes a pause that you made in the Web UI. */
const PAUSED_BY_CONFIG = 'paused in the configuration';
const NO_LONGER_CONFIGURED = 'no longer in the configuration';
const HOUR = 3_600_000;

/** Schedules that are created or updated at the same time. The local server is no faster with more, but other work waits. */
const AT_ONCE = 8;

/**
 * Syncs the schedules on the server with the configuration: creates missing ones, updates those that differ, and pauses
 * those whose watch is gone instead of deleting them, so that nothing disappears silently. `signal` ends it between two
 * requests, with its reason. After a failure none of its requests is under way, and the same call does what is left.
 */
export async function reconcileSchedules(
  client: Client,
  config: Config,
  ledger: LedgerId,
  signal?: AbortSignal,
): Promise<ScheduleChange[]> {
  const wanted = listSchedules(config, ledger);
  const known = new Set<string>();
  const unwanted: string[] = [];
  for await (const { scheduleId, state } of client.schedule.list()) {
    known.add(scheduleId);
    // Other ledgers may share the namespace.
    if (isScheduleOf(ledger, scheduleId) && !wanted.has(scheduleId) && !state.paused) unwanted.push(scheduleId);
  }
  const changes = await putAll(client, [...wanted.values()], { known, compare: true }, signal);
  for (const id of unwanted) changes.push(await pause(client, id));
  return changes;
}

/** The same for what differs between two configurations: 300 watches of which one changed take one request. */
export async function updateSchedules(
  client: Client,
  { before, after }: { readonly before: Config; readonly after: Config },
  ledger: LedgerId,
  signal?: AbortSignal,
): Promise<ScheduleChange[]> {
  const known = listSchedules(before, ledger);
  const wanted = listSchedules(after, ledger);
  const differing = [...wanted.values()].filter(
    (options) => !isDeepStrictEqual(options, known.get(options.scheduleId)),
  );
  const changes = await putAll(client, differing, { known: new Set(known.keys()), compare: false }, signal);
  for (const id of known.keys()) if (!wanted.has(id)) changes.push(await pause(client, id));
  return changes;
}

const listSchedules = (config: Config, ledger: LedgerId): Map<string, ScheduleOptions> =>
  new Map(
    [...config.watches.values()]
      .flatMap((watch) => toSchedules(ledger, watch))
      .map((options) => [options.scheduleId, options]),
  );

interface PutOptions {
  /** The schedules that should be there. */
  readonly known: ReadonlySet<string>;
  /** Whether to read a schedule first, and leave it alone when it is as wanted: a quarter of what an update costs. */
  readonly compare: boolean;
}

/** Updates the schedules that should be there and creates the others; what turns out otherwise takes one request more. */
async function putAll(
  client: Client,
  all: readonly ScheduleOptions[],
  { known, compare }: PutOptions,
  signal?: AbortSignal,
): Promise<ScheduleChange[]> {
  const changes: ScheduleChange[] = [];
  const left = all.values();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const options of left) {
      signal?.throwIfAborted();
      const done = await put(client, options, { isKnown: known.has(options.scheduleId), compare });
      if (done !== 'unchanged') changes.push(done);
    }
  });
  // One failure does not keep the others from their end: whoever called closes the connection next.
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return changes;
}

async function pause(client: Client, id: string): Promise<ScheduleChange> {
  await client.schedule.getHandle(id).pause(NO_LONGER_CONFIGURED);
  return { id, change: 'paused' };
}

/** In a namespace without our search attributes, the schedule and its runs go without them. */
async function put(
  client: Client,
  options: ScheduleOptions,
  { isKnown, compare }: { readonly isKnown: boolean; readonly compare: boolean },
): Promise<Put> {
  const tryPut = async (each: ScheduleOptions): Promise<Put> =>
    isKnown
      ? ((await tryUpdate(client, each, compare)) ??
        (await tryCreate(client, each)) ??
        Promise.reject(changedMeanwhile(each)))
      : ((await tryCreate(client, each)) ??
        (await tryUpdate(client, each, compare)) ??
        Promise.reject(changedMeanwhile(each)));
  try {
    return await tryPut(options);
  } catch (error) {
    if (!isUnknownSearchAttribute(error)) throw error;
    const { typedSearchAttributes: _, ...without } = options;
    return tryPut({ ...without, action: withoutSearchAttributes(options.action) });
  }
}

const changedMeanwhile = ({ scheduleId }: ScheduleOptions): Error =>
  new Error(`the schedule ${scheduleId} was created or deleted by another program meanwhile`);

/** Null when it is there already. */
async function tryCreate(client: Client, options: ScheduleOptions): Promise<ScheduleChange | null> {
  try {
    await client.schedule.create(options);
    return { id: options.scheduleId, change: 'created' };
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return null;
    throw error;
  }
}

/** Null when it is not there. */
async function tryUpdate(client: Client, options: ScheduleOptions, compare: boolean): Promise<Put | null> {
  const { scheduleId: id, spec, action, policies, state } = options;
  const merge = (previous: State) => mergeScheduleState(previous, state?.paused ?? false);
  const handle = client.schedule.getHandle(id);
  try {
    if (compare) {
      const found = await handle.describe();
      const { paused, note = '' } = found.state;
      if (isSameSchedule(found, options) && isDeepStrictEqual(merge(found.state), { paused, note })) return 'unchanged';
    }
    await handle.update((previous) => ({
      spec,
      action,
      policies: { ...policies },
      state: merge(previous.state),
    }));
    return { id, change: 'updated' };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

interface State {
  readonly paused: boolean;
  readonly note?: string;
}

/** Keeps your pause; a pause by the configuration follows the configuration. */
function mergeScheduleState(previous: State, paused: boolean): { paused: boolean; note: string } {
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
  const ofRun = [...typedSearchAttributes, { key: SEARCH_ATTRIBUTES.summary, value: NOT_BEGUN }];
  const common = {
    spec: { cronExpressions: [keepCronLine(schedule.cron)], timezone: schedule.timezone },
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
      typedSearchAttributes: ofRun,
      ...toPriority(watch),
      staticSummary: `Scheduled run of ${id}`,
      staticDetails: describeRun(id, account),
    },
  };
  if (watch.indexCheck === null) return [run];
  const check: ScheduleOptions = {
    ...common,
    // Checks run half an hour later, so that submissions get the requests first.
    spec: { ...common.spec, jitter: HOUR / 2 },
    scheduleId: checkScheduleId(ledger, id),
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW.checkIndex,
      workflowId: checkWorkflowId(ledger, id, 'scheduled'),
      taskQueue: getTaskQueue(ledger),
      args: [{ watch: id, account }],
      typedSearchAttributes: ofRun,
      staticSummary: `Index-checks of ${id}`,
      staticDetails: describeChecks(id, account),
    },
  };
  return [run, check];
}
