import { type Client, isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { formatTry } from '../../contract/money.ts';
import type { Account, Watch } from '../config/config.ts';
import { findStop } from '../ledger/accounts/stops.ts';
import { getAccountStatus } from '../ledger/money/account-status.ts';
import { type Balance, findBalance } from '../ledger/money/balance.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getEarlierBatches } from '../ledger/reports/earlier-work.ts';
import { getLatestAnswer } from '../ledger/reports/latest-answer.ts';
import type { RunId } from '../submission/ids.ts';
import { formatInstant } from '../submission/instant.ts';
import { renderReason, withoutStop } from '../submission/reason.ts';
import { formatSpan } from '../submission/span.ts';
import { dispatcherWorkflowId } from '../temporal-api/ids.ts';
import { WATCH_PHASE } from '../temporal-api/phases.ts';
import { explainStall } from './explain-stall.ts';
import { OperationError } from './operation-error.ts';
import type { JobProgress } from './run-client.ts';
import { getPhase } from './workflow-phase.ts';

/** A dispatcher that an earlier run suspended checks again when woken. Until then its phase proves nothing. */
const SETTLE_MS = 5_000;

/**
 * Watches a run that waits for the service, and throws when a longer wait cannot help a command: the key is rejected
 * (6), the funds do not suffice (7), the account is held (3), or no batch was accepted for `giveUpMs` (5). The run itself
 * continues.
 */
export function createStallDetector(
  client: Client,
  ledger: Ledger,
  { watch, account: policy }: { readonly watch: Watch; readonly account: Account },
  run: RunId,
  giveUpMs: number,
) {
  const startedAt = Date.now();
  let seen = '';
  let since = startedAt;
  return async ({ phase, summary }: JobProgress): Promise<void> => {
    const now = Date.now();
    // A run that shows what it waits for is still the same stall.
    const stage = phase === WATCH_PHASE.waiting ? WATCH_PHASE.submitting : phase;
    const state = `${stage} ${summary?.unanswered} ${summary?.submitted}`;
    if (state !== seen) [seen, since] = [state, now];
    if (stage !== WATCH_PHASE.submitting || now - since < SETTLE_MS) return;
    const waiting = (summary?.unanswered ?? 0) + (await getEarlierBatches(ledger, run)).due;
    if (waiting === 0) return;
    const { reason: own, nextAttemptAt, answer } = await getLatestAnswer(ledger, run, startedAt);
    const { suspended: account, keyRejected } = await getAccountStatus(ledger, watch.account);
    const dispatcher = await getDispatcherPhase(client, ledger, watch);
    const balance = describeBalance(await findBalance(ledger.db, watch.account));
    const ended = explainStall({
      ...{ watch: watch.id, dispatcher, account, keyRejected, own, balance, answer },
      needsList: policy.reconcile.needsList,
    });
    if (ended !== null) throw ended;
    if (now - since < giveUpMs) return;
    const unsent = own === null ? await findStop(ledger.db, watch.account, 'unanswered') : null;
    const said = own === null ? unsent?.reason.text : renderReason(own);
    const why =
      said === undefined
        ? ''
        : `: ${withoutStop(said)}${unsent === null ? '' : ` (at ${formatInstant(unsent.reason.at)})`}`;
    const nextAt = nextAttemptAt ?? unsent?.until ?? null;
    const rest = 'Planned batches keep their idempotency keys: a running worker or the next run sends them.';
    throw new OperationError(
      'no_response',
      `${watch.id}: no batch was accepted for ${formatSpan(giveUpMs)}, ${waiting} still waiting${why}.` +
        `${nextAt === null ? '' : ` The next attempt is at ${new Date(nextAt).toISOString()}.`} ${rest}`,
    );
  };
}

const describeBalance = (balance: Balance | null): string =>
  balance === null ? '' : `The balance is ${formatTry(balance.amount)} as of ${formatInstant(balance.at)}.`;

async function getDispatcherPhase(client: Client, ledger: Ledger, { account }: Watch): Promise<string | null> {
  try {
    return getPhase(await client.workflow.getHandle(dispatcherWorkflowId(ledger.id, account)).describe());
  } catch (error) {
    // It has not started, or the server does not respond now: then the phase says nothing.
    if (error instanceof WorkflowNotFoundError || error instanceof ServiceError || isGrpcServiceError(error))
      return null;
    throw error;
  }
}
