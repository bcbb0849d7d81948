import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure, type Payload, TimeoutFailure } from '@temporalio/common';
import type { Micros } from '../../contract/money.ts';
import type { Watch } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { isHeld } from '../ledger/reports/held-runs.ts';
import { getRunSummary, type RunSummary } from '../ledger/reports/run-summary.ts';
import type { LedgerId, RunId } from '../submission/ids.ts';
import { TemporalUnreachableError } from '../temporal/unreachable.ts';
import { FAILURE_TYPE } from '../temporal-api/failure-types.ts';
import { checkWorkflowId, getTaskQueue, watchWorkflowId } from '../temporal-api/ids.ts';
import { WATCH_PHASE } from '../temporal-api/phases.ts';
import { toPriority } from '../temporal-api/run-priority.ts';
import { NOT_BEGUN, SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';
import { describeChecks, describeRun } from '../temporal-api/static-details.ts';
import {
  type CheckIndex,
  type CheckResult,
  type WatchInput,
  type WatchResult,
  type WatchSitemap,
  WORKFLOW,
} from '../temporal-api/workflows.ts';
import { OperationError } from './operation-error.ts';
import { getPhase } from './workflow-phase.ts';

/** The progress of a run. */
export interface JobProgress {
  /** crawling, comparing, held, planning, submitting, rejected or done. */
  readonly phase: string;
  /** URLs read so far, while it crawls. */
  readonly read: number;
  /** Null until the run is in the ledger. */
  readonly summary: RunSummary | null;
}

/** The run of a watch in progress, if any: one that an earlier command or a schedule started. */
export async function activeRun(
  client: Client,
  ledger: LedgerId,
  watch: Watch,
): Promise<WorkflowHandle<WatchSitemap> | null> {
  const query =
    `WorkflowType = '${WORKFLOW.watchSitemap}' AND ExecutionStatus = 'Running' ` +
    `AND WorkflowId STARTS_WITH '${watchWorkflowId(ledger, watch.id, '')}'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    return client.workflow.getHandle<WatchSitemap>(workflowId);
  }
  return null;
}

export async function startRun(
  client: Client,
  ledger: LedgerId,
  watch: Watch,
  until: WatchInput['until'],
  name: string,
  { maxCost = null }: { readonly maxCost?: Micros | null } = {},
): Promise<WorkflowHandle<WatchSitemap>> {
  return client.workflow.start<WatchSitemap>(WORKFLOW.watchSitemap, {
    workflowId: watchWorkflowId(ledger, watch.id, name),
    taskQueue: getTaskQueue(ledger),
    args: [{ watch: watch.id, account: watch.account, until, ...(maxCost === null ? {} : { maxCost }) }],
    staticSummary: `Run of ${watch.id}`,
    staticDetails: describeRun(watch.id, watch.account),
    typedSearchAttributes: toSearchAttributes(ledger, watch),
    ...toPriority(watch),
  });
}

export async function startCheck(
  client: Client,
  ledger: LedgerId,
  watch: Watch,
  name: string,
): Promise<WorkflowHandle<CheckIndex>> {
  return client.workflow.start<CheckIndex>(WORKFLOW.checkIndex, {
    workflowId: checkWorkflowId(ledger, watch.id, name),
    taskQueue: getTaskQueue(ledger),
    args: [{ watch: watch.id, account: watch.account }],
    staticSummary: `Index-checks of ${watch.id}`,
    staticDetails: describeChecks(watch.id, watch.account),
    typedSearchAttributes: toSearchAttributes(ledger, watch),
  });
}

const toSearchAttributes = (ledger: LedgerId, { id, account }: Watch) => [
  { key: SEARCH_ATTRIBUTES.ledger, value: ledger },
  { key: SEARCH_ATTRIBUTES.watch, value: id },
  { key: SEARCH_ATTRIBUTES.account, value: account },
  { key: SEARCH_ATTRIBUTES.summary, value: NOT_BEGUN },
];

/** Follows a workflow to its result and reports progress; a failure becomes a message with an exit code. */
export async function followRun(
  handle: WorkflowHandle<WatchSitemap>,
  ledger: Ledger,
  onProgress: (progress: JobProgress) => void | Promise<void>,
): Promise<WatchResult> {
  const outcome = settled(handle.result());
  for (;;) {
    const ended = await Promise.race([outcome, pause(400)]);
    const progress = await getProgress(handle, ledger);
    if (progress !== null) await onProgress(progress);
    if (ended === undefined) continue;
    if ('value' in ended) return ended.value;
    const result = getResultOfFailed(ended.error);
    if (result !== null) return result;
    throw toOperationError(ended.error, handle.workflowId);
  }
}

export async function followCheck(handle: WorkflowHandle<CheckIndex>): Promise<CheckResult> {
  try {
    return await handle.result();
  } catch (error) {
    throw toOperationError(error, handle.workflowId);
  }
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

const pause = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined));

/** Null while the server does not respond: the workflow continues unobserved. */
async function getProgress(handle: WorkflowHandle, ledger: Ledger): Promise<JobProgress | null> {
  try {
    const description = await handle.describe();
    const { raw } = description;
    const crawl = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'crawlWatch');
    const payload = crawl?.heartbeatDetails?.payloads?.[0];
    const read = payload === undefined ? 0 : ((await decode<{ urls?: number }>(handle, payload)).urls ?? 0);
    const run = handle.workflowId as RunId;
    const summary = await getRunSummary(ledger, run).catch(() => null);
    const phase = getPhase(description) ?? ((await isHeld(ledger, run)) ? WATCH_PHASE.held : 'starting');
    return { phase, read, summary };
  } catch (error) {
    if (error instanceof ServiceError || isGrpcServiceError(error)) return null;
    throw error;
  }
}

/** The SDK does not decode what activities say while they run. */
async function decode<T>({ client }: WorkflowHandle, payload: Payload): Promise<T> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  let [decoded = payload] = [payload];
  for (const codec of payloadCodecs.toReversed()) [decoded = payload] = await codec.decode([decoded]);
  return payloadConverter.fromPayload<T>(decoded);
}

function toOperationError(error: unknown, workflow: string): Error {
  if (error instanceof ServiceError || isGrpcServiceError(error)) {
    return new TemporalUnreachableError(
      `Lost the connection to the Temporal server while following ${workflow} (${(error as Error).message}). Nothing is ` +
        'lost: the run continues when the server and a worker are up. Run the command again to follow it.',
      { cause: error },
    );
  }
  if (!(error instanceof WorkflowFailedError)) return error instanceof Error ? error : new Error(String(error));
  const cause = deepestFailure(error.cause);
  const kind = cause instanceof ApplicationFailure ? cause.type : '';
  const failure =
    kind === FAILURE_TYPE.runActive ? 'run_active' : kind === FAILURE_TYPE.authentication ? 'key_rejected' : 'failed';
  return new OperationError(failure, `${workflow} did not complete: ${cause?.message ?? error.message}`);
}

/** The result of a run that did its work and ended as failed, because its sitemaps could not be read. */
function getResultOfFailed(error: unknown): WatchResult | null {
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return null;
  if (cause.type !== FAILURE_TYPE.nothingRead && cause.type !== FAILURE_TYPE.incompleteTooOften) return null;
  return (cause.details?.[0] as WatchResult | undefined) ?? null;
}

function deepestFailure(error: unknown): Error | undefined {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error && !(current instanceof TimeoutFailure))
    current = current.cause;
  return current instanceof Error ? current : undefined;
}
