import type { Micros } from '../contract/money.ts';
import { ApiError, unwrapData } from '../src/api-client/errors.ts';
import { endStops, getRefusalStop } from '../src/ledger/accounts/stops.ts';
import type { PendingBatch } from '../src/ledger/batches/batch-queries.ts';
import { listPendingBatches } from '../src/ledger/batches/batch-queries.ts';
import { beginSend, type Sending } from '../src/ledger/batches/begin-send.ts';
import { checkFunds, resumeWithinCaps } from '../src/ledger/batches/funds.ts';
import { type AnswerRecorded, recordAnswer } from '../src/ledger/batches/record-answer.ts';
import { endExpiredChecks } from '../src/ledger/index-checks/close-expired-checks.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { findOtherService } from '../src/ledger/money/account.ts';
import { findPassingStop, retryUnfunded } from '../src/ledger/money/account-status.ts';
import { recordBalance } from '../src/ledger/money/balance.ts';
import { getWaitingMoney } from '../src/ledger/money/waiting-money.ts';
import { backoffMs } from '../src/submission/backoff.ts';
import { waitsForMoney } from '../src/submission/caps.ts';
import { findWaitEnd } from '../src/submission/clock.ts';
import type { AccountId, BatchId } from '../src/submission/ids.ts';
import { decideOutcome } from '../src/submission/outcome.ts';
import { isMoneyReason, type Reason, renderReason } from '../src/submission/reason.ts';
import type { DispatchStep } from '../src/temporal-api/payloads.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import { confirmDecided, recordFreshBalance, witnessBalanceAfter, witnessBalanceBefore } from './balance-witness.ts';
import type { Deps } from './deps.ts';
import { describeShortage } from './describe-shortage.ts';
import { openSpendingGuard, type SpendingGuard } from './history-guard.ts';
import { reconcileBatch } from './reconcile.ts';
import { reportBatch } from './report-batch.ts';
import { countAttempts } from './shown-waits.ts';
import { startTrackers } from './trackers.ts';

/** Between two attempts to start missing trackers. */
const TRACKER_RETRY_MS = 30_000;

/** Between two balance reads or key checks: 30 s at first, up to a quarter of an hour. */
function pause({ waits }: CanWait): number {
  return Math.min(30_000 * 2 ** Math.min(countAttempts(waits) - 1, 5), 900_000);
}

/** New plans are noticed after this long at the latest, whatever the waiting batches wait for. */
const READ_AGAIN_MS = 30_000;
/** The same where a signal ends the wait and each read is in the history: after a while. */
const READ_AGAIN_SHOWN_MS = 300_000;

const readAgainMs = ({ waits }: CanWait): number =>
  waits === undefined ? READ_AGAIN_MS : Math.min(READ_AGAIN_MS * 2 ** (countAttempts(waits) - 1), READ_AGAIN_SHOWN_MS);

/** The dispatcher's activities: one step at a time, and the waits between them. */
export function dispatchActivities(deps: Deps) {
  const { ledger, now, getApi, getAccount, emit } = deps;
  const guard = openSpendingGuard(deps);
  return {
    async sendNextBatch({ account, ...waiting }: CanWait & { account: AccountId }): Promise<DispatchStep> {
      await endExpiredChecks(ledger, getAccount(account));
      const tracked = await startTrackers(deps, account);
      const step = await sendNext(deps, account, guard, readAgainMs(waiting));
      if (step.kind === 'suspended' || step.kind === 'key_rejected') {
        emit({ kind: step.kind, account, reason: step.reason });
      }
      if (step.kind === 'idle' && !tracked) throw retryLater(TRACKER_RETRY_MS, 'a tracker could not be started yet');
      await startTrackers(deps, account);
      return step;
    },

    async awaitMoney({ account: id, ...waiting }: CanWait & { account: AccountId }): Promise<void> {
      const hold = await guard.findHold(id);
      if (hold !== null) throw retryLater(pause(waiting), hold.reason);
      const stop = await getRefusalStop(ledger.db, id);
      if (stop !== null) {
        if (stop.until <= now()) return;
        // An operator may end it sooner.
        throw retryLater(Math.min(stop.until - now(), readAgainMs(waiting)), renderReason(stop.reason));
      }
      const account = getAccount(id);
      await endExpiredChecks(ledger, account);
      if ((await findOtherService(ledger.db, account)) !== null) {
        throw retryLater(
          readAgainMs(waiting),
          'the configuration names a service other than the one that the batches of the account belong to',
        );
      }
      const { batches } = await listPendingBatches(ledger, id, { limit: 100, waiting: true });
      if (batches.length === 0) return retryUnfunded(ledger, id);
      const read = await askBalance(deps, id);
      if (read.balance === null) {
        // Only a batch can show that the funds suffice again. Try rarely: each 402 makes its wait longer.
        if (countAttempts(waiting.waits) > 1 && account.spend.balanceFloor <= 0) {
          return retryUnfunded(ledger, id);
        }
        throw retryLater(pause(waiting), `the balance cannot be read: ${read.why}`);
      }
      let earliest = now() + pause(waiting);
      let short: Reason | null = null;
      for (const batch of batches) {
        const waitsUntil = findWaitEnd(batch, now());
        if (waitsUntil !== null && !isMoneyReason(batch.reason_code)) {
          // It waits for something else: its own retry time resumes it, not the balance.
          earliest = Math.min(earliest, waitsUntil);
          continue;
        }
        const watch = deps.config.watches.get(batch.watch);
        // Its watch was removed: it is withdrawn, which needs no money.
        if (watch === undefined) return retryUnfunded(ledger, id);
        const funds = await checkFunds(ledger, batch, { account, watch });
        // A cap that stops it is no want of money: its own check before the send postpones it, or takes it back.
        if (funds.kind === 'enough' || !waitsForMoney(funds.refusal)) return retryUnfunded(ledger, id);
        short ??= funds.refusal.reason;
        if (funds.until !== null) earliest = Math.min(earliest, funds.until);
      }
      const needed = await getWaitingMoney(ledger, id);
      throw retryLater(earliest - now(), describeShortage(needed, account, short ?? needed.reason));
    },

    async awaitKey({ account, ...waiting }: CanWait & { account: AccountId }): Promise<void> {
      const answer = await getApi(account).request('poll', (client) => client.me());
      // Only a success proves it: no response or a gateway's error says nothing about the key.
      if (answer.body.kind === 'success') {
        await endStops(ledger.db, account, 'key');
        emit({ kind: 'key_accepted', account });
        return;
      }
      throw retryLater(pause(waiting), 'the API key is not accepted yet');
    },
  };
}

type BalanceRead =
  | { readonly balance: Micros }
  /** The service rejects the request, or its response is unreadable. That must not end the dispatcher. */
  | { readonly balance: null; readonly why: string };

async function askBalance({ getApi, ledger, now }: Deps, account: AccountId): Promise<BalanceRead> {
  try {
    const at = now();
    const { balance } = unwrapData(await getApi(account).request('poll', (client) => client.balance()));
    await recordBalance(ledger, account, balance, at);
    return { balance };
  } catch (error) {
    if (error instanceof ApiError && (error.policy === 'none' || error.retryAfterMs === null)) {
      return { balance: null, why: error.message };
    }
    throw error;
  }
}

/**
 * Sends the first batch that may be sent. A batch that may not be sent now is postponed in the ledger until a time of its
 * own, so neither a watch's cap nor an unreadable list blocks another batch.
 */
async function sendNext(
  deps: Deps,
  account: AccountId,
  guard: SpendingGuard,
  readAgain: number,
): Promise<DispatchStep> {
  const { ledger, now } = deps;
  let suspended: string | null = null;
  for (;;) {
    const { batches, nextAt } = await listPendingBatches(ledger, account);
    const [first] = batches;
    if (first === undefined) {
      if (suspended !== null) return { kind: 'suspended', reason: suspended };
      const stop = await findPassingStop(ledger, account);
      if (stop !== null) return stop;
      if (nextAt === null) return { kind: 'idle' };
      if (await resumeWithinCaps(ledger, deps.getAccount(account), (watch) => deps.config.watches.get(watch))) continue;
      const waiting = await getWaitingMoney(ledger, account);
      throw retryLater(Math.min(nextAt - now(), readAgain), describeShortage(waiting, deps.getAccount(account)));
    }
    const hold = await guard.findHold(account);
    if (hold !== null) return hold;
    const stop = await getRefusalStop(ledger.db, account);
    if (stop !== null && stop.until > now()) return { kind: 'suspended', reason: renderReason(stop.reason) };
    // Another service's balance is not the account's: its batches are not sent either.
    if ((await findOtherService(ledger.db, deps.getAccount(account))) === null) {
      await recordFreshBalance(deps, account);
      await confirmDecided(deps, account, batches);
      await witnessBalanceBefore(deps, account, first);
    }
    // Reserve a request before anything is written: every attempt on record is one that was made.
    const tried = await deps
      .getApi(account)
      .reserved('submission', (submit) => sendFirst(deps, account, batches, { submit, guard }));
    if (tried.kind === 'step') return tried.step;
    suspended ??= tried.suspended;
    if (!tried.movedOn) throw retryLater(1_000, 'another worker is sending the planned batches');
  }
}

type Tried =
  | { readonly kind: 'step'; readonly step: DispatchStep }
  /** None of these can be sent now. `movedOn`: at least one of them no longer blocks the queue. */
  | { readonly kind: 'none'; readonly suspended: string | null; readonly movedOn: boolean };

async function sendFirst(deps: Deps, id: AccountId, batches: readonly PendingBatch[], by: Sender): Promise<Tried> {
  const account = deps.getAccount(id);
  let suspended: string | null = null;
  let movedOn = false;
  for (const { id: batch, watch } of batches) {
    const sending = await beginSend(deps.ledger, batch, { account, watch: deps.config.watches.get(watch) ?? null });
    switch (sending.kind) {
      case 'send':
        return { kind: 'step', step: await send(deps, id, sending, by) };
      case 'reconcile': {
        const recorded = await reconcileBatch(deps, id, sending);
        if (recorded.kind !== 'postponed') {
          if (recorded.kind === 'accepted') by.guard.remember(id, { reference: recorded.reference, key: sending.key });
          return { kind: 'step', step: toStep(deps, id, sending, recorded, null) };
        }
        movedOn = true;
        continue;
      }
      case 'held':
      case 'other-service':
        return { kind: 'step', step: { kind: 'suspended', reason: sending.reason } };
      case 'not-allowed':
        if (waitsForMoney(sending.refusal)) suspended ??= sending.refusal.message;
        movedOn = true;
        continue;
      case 'closed':
        movedOn = true;
        continue;
      case 'wait':
        continue;
    }
  }
  return { kind: 'none', suspended, movedOn };
}

type SendNow = Extract<Sending, { kind: 'send' }>;

interface Sender {
  readonly submit: Parameters<Parameters<ReturnType<Deps['getApi']>['reserved']>[1]>[0];
  readonly guard: SpendingGuard;
}

async function send(
  deps: Deps,
  account: AccountId,
  sending: SendNow,
  { submit, guard }: Sender,
): Promise<DispatchStep> {
  const { batch, attempt, urls, inDoubt, reference, key } = sending;
  const answer = await submit((client) => client.submit(sending.body, key));
  const outcome = decideOutcome(answer, { urls, inDoubt, reference });
  const { status, requestId } = answer;
  // Before it is recorded: the ledger may fail, and a copy that lacks the batch may take its place.
  if (outcome.kind === 'accepted') guard.remember(account, { reference: outcome.reference, key });
  const recorded = await recordAnswer(deps.ledger, batch, {
    attempt,
    outcome: await witnessBalanceAfter(deps, account, outcome),
    status,
    requestId,
    backoffMs: backoffMs(attempt, deps.random()),
  }).catch((error: unknown) => throwLostBatch(error, batch));
  if (outcome.kind === 'accepted' && recorded.kind !== 'accepted') guard.forget(account, outcome.reference);
  return toStep(deps, account, sending, recorded, requestId);
}

/** A copy took the place of the ledger while the batch was sent. The next attempt finds out what it lacks. */
function throwLostBatch(error: unknown, batch: BatchId): never {
  if (!(error instanceof LedgerError) || error.code !== 'UNKNOWN_BATCH') throw error;
  throw retryLater(
    1_000,
    `the ledger no longer has batch ${batch}, which was sent just now: an older copy is in its place`,
  );
}

type Attempted = Extract<Sending, { kind: 'send' | 'reconcile' }>;

/** Reports the outcome and converts it to a dispatch step. */
function toStep(
  deps: Deps,
  account: AccountId,
  sending: Attempted,
  recorded: AnswerRecorded,
  requestId: string | null,
): DispatchStep {
  const { batch, watch, service, urls } = sending;
  reportBatch(deps, { account, watch, batch, service, urls: urls.length, requestId }, recorded);
  return toDispatchStep(deps, sending, recorded);
}

/** Converts the ledger's outcome to a dispatch step. */
function toDispatchStep(
  { now }: Deps,
  { batch, watch, service, urls }: Attempted,
  recorded: AnswerRecorded,
): DispatchStep {
  const sent = (outcome: string, accepted = 0): DispatchStep => ({
    kind: 'sent',
    batch,
    watch,
    urls: accepted,
    service,
    outcome,
  });
  switch (recorded.kind) {
    case 'accepted':
      return sent(`accepted as ${recorded.reference}`, recorded.again ? 0 : urls.length);
    case 'retry':
      throw retryLater(recorded.notBefore - now(), `retrying batch ${batch} with the same bytes and key`);
    case 'suspended':
      return { kind: 'suspended', reason: recorded.reason };
    case 'key_rejected':
      return { kind: 'key_rejected', reason: recorded.reason };
    case 'refused':
      return sent(
        `rejected: ${recorded.quarantined} URLs quarantined, split into ${recorded.children.length} smaller batches`,
      );
    case 'in_doubt':
      return sent('in doubt: will be looked up in the list of jobs');
    case 'contradicted':
      return sent(`already accepted: ${recorded.reason}`);
    case 'needs_review':
      return sent(`needs review: ${recorded.reason}`);
    case 'closed':
      return sent(`already ${recorded.state}`);
  }
}
