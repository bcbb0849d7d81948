import { type Micros, splitMicros } from '../../../contract/money.ts';
import { ApiError, unwrapData } from '../../../src/api-client/errors.ts';
import type { SendRequest } from '../../../src/api-client/history.ts';
import { type Account, requireAccount } from '../../../src/config/config.ts';
import { SecretMissingError } from '../../../src/config/secrets.ts';
import { confirmShown } from '../../../src/connector/confirm-account.ts';
import { OperationError } from '../../../src/connector/operation-error.ts';
import { recoverAccount } from '../../../src/connector/recover-account.ts';
import { createAccountClient } from '../../../src/connector/service-client.ts';
import { recordReconciled } from '../../../src/ledger/batches/record-reconciled.ts';
import { resolveNeedsReview } from '../../../src/ledger/batches/resolve-review.ts';
import { listOverdueJobs } from '../../../src/ledger/jobs/overdue-jobs.ts';
import { resolveJob } from '../../../src/ledger/jobs/settle-job.ts';
import { findHeldRun } from '../../../src/ledger/reports/run-problem.ts';
import { createLimitedClient } from '../../../src/rate-limit/limited-client.ts';
import { RateLimitedError, rateLimitsOver } from '../../../src/rate-limit/limiter.ts';
import { toRateLimits } from '../../../src/rate-limit/limits.ts';
import type { HistoryHold } from '../../../src/submission/history-hold.ts';
import type { AccountId, BatchId, Reference, RunId } from '../../../src/submission/ids.ts';
import { approveUpdate } from '../../../src/temporal-api/messages.ts';
import { createClient } from '../temporal/client.ts';
import type { AccountName } from './account-names.ts';
import { readCommitted } from './committed-ledger.ts';
import { createDecisions } from './decider.ts';
import { mayLeaveOut } from './leave-out.ts';
import { showsCharges } from './oracle/compare-charges.ts';
import { onTerminal } from './programs.ts';
import { FORGOTTEN } from './stores.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const EVERY_MS = 10 * MINUTE;
const ignore = { listed: () => undefined, read: () => undefined, waiting: () => undefined };

/** An operator who does, every ten minutes, what the connector asks for: approves, resolves, recovers. */
export function startOperator(world: World): void {
  const { kernel } = world;
  const seen = new Map<BatchId, number>();
  const { decider } = world.scenario;
  const decideLater = decider === undefined ? null : createDecisions(world, decider);
  const attend = () => {
    const { ledger } = world.stores;
    onTerminal(async () => {
      if (world.isGood || decideLater === null) approveHeld(world);
      else await decideLater();
      await resolveReviews(world, seen);
      await resolveOverdue(world);
      await recoverHeld(world);
      if (world.isGood) endLostRuns(world);
    }).catch((error: unknown) => {
      // A command on a ledger that is replaced meanwhile ends with it.
      if (world.stores.ledger === ledger) world.oracle.breach(`the operator failed: ${(error as Error).message}`);
    });
    kernel.schedule(EVERY_MS, null, attend);
  };
  kernel.schedule(EVERY_MS, null, attend);
}

/** Those that wait for a decision. */
export function listHeldRuns({ stores }: World): string[] {
  const held = stores.read.ledger
    .prepare('SELECT name FROM runs WHERE held IS NOT NULL AND decision IS NULL AND ended_at IS NULL')
    .all() as { name: string }[];
  return held.map(({ name }) => name);
}

/** `courier approve`: what the hold shows is what it approves. It waits for a worker; one that never arrives approves nothing. */
export async function approve(world: World, run: string): Promise<void> {
  const held = await findHeldRun(readCommitted(world), run as RunId);
  if (held === null) return;
  const { urls, cost } = held.forecast;
  world.oracle.said({ run, by: 'the hold', cost, urls });
  const handle = createClient(world.temporal, world.operator).workflow.getHandle(run);
  await handle.executeUpdate(approveUpdate, { args: [{ by: 'operator' }] }).catch(() => undefined);
}

function approveHeld(world: World): void {
  // Waits for a worker: not here.
  for (const run of listHeldRuns(world)) void approve(world, run);
}

/** A batch that waits for an operator. */
export interface Review {
  readonly id: BatchId;
  readonly key: string;
}

export const listReviews = ({ stores }: World): readonly Review[] =>
  stores.read.ledger
    .prepare(
      `SELECT id, idempotency_key AS key FROM batches WHERE state = 'needs_review' AND idempotency_key IS NOT NULL`,
    )
    .all() as unknown as Review[];

/** `courier batches resolve --leave`: nobody asks the service. */
export async function leaveReview(world: World, { id, key }: Review): Promise<void> {
  const rows = world.stores.read.ledger
    .prepare('SELECT u.url FROM batch_urls AS b JOIN urls AS u ON u.id = b.url_id WHERE b.batch_id = ?')
    .all(id) as unknown as readonly { readonly url: string }[];
  if (!(await resolveNeedsReview(await world.openOperatorLedger(), id, 'leave'))) return;
  world.oracle.leaveBatch(
    key,
    rows.map(({ url }) => url),
  );
  world.kernel.trace(`batch ${id} is left`);
}

/** Answers with what the service's database says, once nothing of the batch can still be on its way. */
async function resolveReviews(world: World, seen: Map<BatchId, number>): Promise<void> {
  const { kernel, stores } = world;
  const { attendsAfterMs = EVERY_MS } = world.scenario;
  const waitMs = world.isGood ? EVERY_MS : (attendsAfterMs ?? Number.POSITIVE_INFINITY);
  for (const { id, key } of listReviews(world)) {
    if (!seen.has(id)) seen.set(id, kernel.elapsed);
    if (kernel.elapsed - seen.get(id)! < waitMs) continue;
    world.happenings.add(waitMs > EVERY_MS ? 'a review is answered late' : 'a review is answered');
    const job = stores.read.service
      .prepare(
        `SELECT reference, charged, (SELECT count(*) FROM submission_urls WHERE submission_id = s.id) AS urls
         FROM submissions AS s WHERE idempotency_key IN (?, ?)`,
      )
      .get(key, `${key}${FORGOTTEN}`) as { reference: Reference; charged: Micros; urls: number } | undefined;
    const ledger = await world.openOperatorLedger();
    kernel.trace(`batch ${id} is resolved: ${job === undefined ? 'released' : 'charged'}`);
    if (job === undefined) await resolveNeedsReview(ledger, id, 'release');
    else {
      // The command reads the job.
      const { charged, urls } = job;
      const shown = { charged, pricePerUrl: splitMicros(charged, urls) };
      const cost = showsCharges(world) ? shown : { charged: null, pricePerUrl: null };
      const found = { state: null, balance: null, ...cost };
      await recordReconciled(ledger, id, { kind: 'found', reference: job.reference, ...found });
    }
  }
}

/**
 * Ends the jobs that are no longer polled, as `courier status` asks. Their URLs count as bought: what the service has
 * failed is not bought again.
 */
async function resolveOverdue(world: World): Promise<void> {
  const ledger = await world.openOperatorLedger();
  for (const account of world.readConfig().accounts.values()) {
    const { standard, fast } = account.tracking;
    const timeouts = { standard: standard.timeoutMs, fast: fast.timeoutMs };
    for (const { batch, reference } of await listOverdueJobs(ledger, account.id, timeouts)) {
      world.kernel.trace(`job ${reference} of batch ${batch} is overdue: left`);
      world.oracle.leave(reference);
      await resolveJob(ledger, account.id, reference, 'leave', { retryFailed: null });
    }
  }
}

/**
 * A copy that came back, and a recovery that was broken off, hold the account: the connector names the command. A list that
 * fails holds it, too, and needs nobody.
 */
async function recoverHeld(world: World): Promise<void> {
  const { stores, oracle } = world;
  const row = stores.read.ledger.prepare(`SELECT reason_params FROM account_stops WHERE kind = 'history'`).get() as
    | { reason_params: string }
    | undefined;
  if (row === undefined) return;
  const { hold } = JSON.parse(row.reason_params) as { hold: HistoryHold };
  if (hold.code === 'list_unread') return;
  // The job of a batch that an operator has left may show up after all.
  const isLeft = (reference: string) => oracle.isLeftBatch(readKey(world, reference) ?? '');
  if (hold.code === 'unknown_jobs' && !world.wasRestored && !hold.references.every(isLeft))
    oracle.breach(`held without a restored ledger: ${row.reason_params}`);
  await recover(world);
}

/** Under which key the service has a job; null: it has none of that reference. */
function readKey({ stores }: World, reference: string): string | null {
  const row = stores.read.service
    .prepare('SELECT idempotency_key AS key FROM submissions WHERE reference = ?')
    .get(reference) as { readonly key: string | null } | undefined;
  return row?.key?.replace(FORGOTTEN, '') ?? null;
}

/** Ends the run of a watch that is not configured, which waits for its configuration as its message says. */
function endLostRuns({ temporal, settings, ledgerId }: World): void {
  for (const run of temporal.listRunning()) {
    const [kind, ledger, watch] = run.workflowId.split('/');
    const isRun = kind === 'watch' || kind === 'index-check';
    if (!isRun || ledger !== ledgerId) continue;
    if (!settings.watches.has(watch ?? '')) temporal.terminate(run);
  }
}

/**
 * `courier recover`, as a command does it; one that fails is run again by the operator. Not while a watch is away, whose
 * jobs another one may take (known breach X1).
 */
export async function recover(world: World): Promise<void> {
  if (world.isRecovering || world.removed.size > 0) return;
  world.isRecovering = true;
  try {
    for (const account of world.configuredAccounts) await recoverOne(world, account);
  } finally {
    world.isRecovering = false;
  }
}

/** Requests of a command for an account, within its rate limits. */
export async function openRequests(world: World, account: Account): Promise<SendRequest> {
  const limits = await rateLimitsOver(world.stores.budgets);
  const limiter = limits.getLimiter(account.id, toRateLimits(account.limits, account.limits.minuteMs));
  const service = createAccountClient(account, undefined, world.network.createDispatcher());
  const client = createLimitedClient(service, limiter);
  return async (request) => {
    for (;;) {
      try {
        return unwrapData(await client.request('poll', request));
      } catch (error) {
        if (!(error instanceof RateLimitedError)) throw error;
        await world.kernel.sleep(error.waitMs);
      }
    }
  };
}

async function recoverOne(world: World, name: AccountName): Promise<void> {
  try {
    const config = world.readConfig();
    const account = requireAccount(config, name as AccountId);
    const ledger = await world.openOperatorLedger();
    const { kernel } = world;
    const send = await openRequests(world, account);
    const watches = [...config.watches.values()];
    await confirmShown(ledger, account, send);
    const { taken, held } = await recoverAccount({
      ...{ ledger, account, watches, fallback: null, since: null, accept: false, send },
      ...{ signal: new AbortController().signal, progress: ignore },
    });
    kernel.trace(`recovered ${taken.length} jobs${held ? ', still held' : ''}`);
    // A job whose watch does not come back: the operator knows that it is theirs, and lets it go. An open one may show its
    // URLs later.
    if (held && world.isGood && haveAllJobsEnded(world) && mayLeaveOut(taken, world.removed)) {
      await recoverAccount({
        ...{ ledger, account, watches, fallback: null, since: null, accept: true, send },
        ...{ signal: new AbortController().signal, progress: ignore },
      });
    }
  } catch (error) {
    // The key or the address of another account: the command says so, and reads nothing.
    if (!(error instanceof ApiError || error instanceof OperationError || error instanceof SecretMissingError))
      throw error;
    world.kernel.trace(`the recovery failed: ${error.message}`);
  }
}

const haveAllJobsEnded = ({ stores }: World): boolean =>
  stores.read.service.prepare(`SELECT 1 FROM submissions WHERE status IN ('queued', 'processing')`).get() === undefined;
