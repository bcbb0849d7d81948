import { Context } from '@temporalio/activity';
import { formatTry, type Micros } from '../contract/money.ts';
import { ApiError, unwrapData } from '../src/api-client/errors.ts';
import type { Watch } from '../src/config/config.ts';
import { getBatch } from '../src/ledger/batches/batch-row.ts';
import { beginSend, type Sending } from '../src/ledger/batches/begin-send.ts';
import { listPendingBatches } from '../src/ledger/batches/pending-batches.ts';
import { type AnswerRecorded, recordAnswer } from '../src/ledger/batches/record-answer.ts';
import { recordBalance } from '../src/ledger/money/balance.ts';
import { checkFunds, resumeAccount } from '../src/ledger/money/funds.ts';
import { backoffMs } from '../src/submission/backoff.ts';
import type { AccountId, BatchId } from '../src/submission/ids.ts';
import { decideOutcome } from '../src/submission/outcome.ts';
import type { DispatchStep } from '../src/temporal-api/payloads.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import type { Deps } from './deps.ts';
import { recordBalanceBefore, withBalanceAfter } from './price-from-balance.ts';
import { reconcileBatch } from './reconcile.ts';
import { startTrackers } from './trackers.ts';

/** Between two attempts to start the trackers that are missing. */
const TRACKER_RETRY_MS = 30_000;

/** Between two looks at a balance or a key: 30 s at first, a quarter of an hour in the end. */
function pause(): number {
  return Math.min(30_000 * 2 ** Math.min(Context.current().info.attempt - 1, 5), 900_000);
}

/** What a dispatcher asks for: one turn at a time, and the waits between them. */
export function dispatchActivities(deps: Deps) {
  const { ledger, now, getApi } = deps;
  return {
    async sendNextBatch({ account }: { account: AccountId }): Promise<DispatchStep> {
      const tracked = await startTrackers(deps, account);
      const { batches, nextAt } = await listPendingBatches(ledger, account);
      if (batches.length === 0) {
        if (nextAt === null && tracked) return { kind: 'idle' };
        if (nextAt === null) throw retryLater(TRACKER_RETRY_MS, 'a tracker could not be started yet');
        throw retryLater(nextAt - now(), 'every planned batch waits for its next attempt');
      }
      await recordBalanceBefore(deps, account, batches[0]);
      const turn = await sendFirst(deps, account, batches);
      await startTrackers(deps, account);
      return turn;
    },

    async awaitMoney({ account: id }: { account: AccountId }): Promise<void> {
      const balance = await askBalance(deps, id);
      await recordBalance(ledger, id, balance);
      const { batches } = await listPendingBatches(ledger, id, 100);
      let earliest = now() + pause();
      for (const batch of batches) {
        const watch = await findWatchOfBatch(deps, batch);
        if (watch === null) continue;
        const standing = await checkFunds(ledger, batch, { account: deps.getAccount(id), watch });
        if (standing.kind === 'enough') return resumeAccount(ledger, id, 'suspended');
        if (standing.until !== null) earliest = Math.min(earliest, standing.until);
      }
      if (batches.length === 0) return resumeAccount(ledger, id, 'suspended');
      throw retryLater(earliest - now(), `the money does not suffice yet (balance ${formatTry(balance)})`);
    },

    async awaitKey({ account }: { account: AccountId }): Promise<void> {
      const answer = await getApi(account).ask('poll', (client) => client.me());
      // Only a success proves it: silence and a gateway's error say nothing of the key.
      if (answer.body.kind === 'success') return resumeAccount(ledger, account, 'key_rejected');
      throw retryLater(pause(), 'the API key is not accepted yet');
    },
  };
}

/** A refusal of the question is waited out as the money is: it must not end the dispatcher while batches wait. */
async function askBalance({ getApi }: Deps, account: AccountId): Promise<Micros> {
  try {
    return unwrapData(await getApi(account).ask('poll', (client) => client.balance())).balance;
  } catch (error) {
    if (!(error instanceof ApiError) || error.policy !== 'none') throw error;
    throw retryLater(pause(), `the balance cannot be asked: ${error.message}`);
  }
}

/** Sends the first batch that may be sent. A cap of one watch does not hold up another. */
async function sendFirst(deps: Deps, account: AccountId, batches: readonly BatchId[]): Promise<DispatchStep> {
  let suspended: DispatchStep | null = null;
  // One request is reserved before anything is written: an attempt on record is one that was made.
  return deps.getApi(account).reserved('submission', async (submit) => {
    for (const batch of batches) {
      const watch = await findWatchOfBatch(deps, batch);
      if (watch === null) {
        suspended ??= { kind: 'suspended', reason: `batch ${batch} belongs to a watch that is no longer configured` };
        continue;
      }
      const sending = await beginSend(deps.ledger, batch, { account: deps.getAccount(account), watch });
      switch (sending.kind) {
        case 'send':
          return toDispatchStep(deps, sending, await send(deps, account, sending, submit));
        case 'reconcile':
          return toDispatchStep(deps, sending, await reconcileBatch(deps, account, sending));
        case 'not-allowed':
          suspended ??= { kind: 'suspended', reason: sending.refusal.message };
          continue;
        case 'closed':
        case 'wait':
          continue;
      }
    }
    if (suspended !== null) return suspended;
    throw retryLater(1_000, 'another worker is sending what is planned');
  });
}

type SendNow = Extract<Sending, { kind: 'send' }>;
type Submit = Parameters<Parameters<ReturnType<Deps['getApi']>['reserved']>[1]>[0];

async function send(deps: Deps, account: AccountId, sending: SendNow, submit: Submit): Promise<AnswerRecorded> {
  const { batch, attempt, urls, inDoubt, reference, expectedCost } = sending;
  const answer = await submit((client) => client.submit(sending.body, sending.key));
  const outcome = decideOutcome(answer, { urls, inDoubt: inDoubt, reference });
  return recordAnswer(deps.ledger, batch, {
    attempt,
    outcome: await withBalanceAfter(deps, account, expectedCost, outcome),
    status: answer.status,
    requestId: answer.requestId,
    backoffMs: backoffMs(attempt, deps.random()),
  });
}

/** Null when the configuration no longer has the watch: then nothing of it is spent. */
async function findWatchOfBatch({ ledger, config }: Deps, batch: BatchId): Promise<Watch | null> {
  return config.watches.get((await getBatch(ledger.db, batch)).watch) ?? null;
}

/** What the ledger made of an answer, for the dispatcher. */
function toDispatchStep(
  { now }: Deps,
  { batch, watch, service, urls }: Extract<Sending, { kind: 'send' | 'reconcile' }>,
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
      throw retryLater(recorded.notBefore - now(), `batch ${batch} goes again with the same bytes and key`);
    case 'suspended':
      return { kind: 'suspended', reason: recorded.reason };
    case 'key_rejected':
      return { kind: 'key_rejected', reason: recorded.reason };
    case 'refused':
      return sent(`refused: ${recorded.quarantined} URLs quarantined, ${recorded.children.length} parts go on`);
    case 'in_doubt':
      return sent('unclear: it is looked up in the list');
    case 'needs_review':
      return sent(`stopped for a person: ${recorded.reason}`);
    case 'closed':
      return sent(`already ${recorded.state}`);
  }
}
