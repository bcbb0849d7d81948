import { ApiError, AuthenticationError } from '../src/api-client/errors.ts';
import { findBatchInDoubt, type Search } from '../src/api-client/find-batch-in-doubt.ts';
import type { Sending } from '../src/ledger/batches/begin-send.ts';
import { isKnownReference } from '../src/ledger/batches/is-taken.ts';
import type { AnswerRecorded } from '../src/ledger/batches/record-answer.ts';
import { recordReconciled } from '../src/ledger/batches/record-reconciled.ts';
import { stopBatch } from '../src/ledger/batches/stop-batch.ts';
import { recordKeyRejected } from '../src/ledger/money/funds.ts';
import type { AccountId } from '../src/submission/ids.ts';
import type { Deps } from './deps.ts';

type BatchToReconcile = Extract<Sending, { kind: 'reconcile' }>;

/**
 * Looks a batch whose outcome is unknown up in the service's list, before anything of it is sent again. A list that
 * refuses to be asked leaves the batch to a person: one batch must not hold up all others of the account.
 */
export async function reconcileBatch(deps: Deps, account: AccountId, lost: BatchToReconcile): Promise<AnswerRecorded> {
  const { ledger } = deps;
  let search: Search;
  try {
    search = await searchService(deps, account, lost);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof AuthenticationError) {
      await recordKeyRejected(ledger.db, account, error.message);
      return { kind: 'key_rejected', batch: lost.batch, reason: error.message };
    }
    if (error.policy === 'retry') throw error;
    const why = `the list cannot be asked for it (${error.message}); it may be charged already, so nothing is sent again`;
    return stopBatch(ledger, lost.batch, `${why}. Look it up at the service, then decide`);
  }
  switch (search.kind) {
    case 'found': {
      const { reference, state, charged } = search.submission;
      const found = { kind: 'found', reference, state, charged, pricePerUrl: null, balance: null } as const;
      return recordReconciled(ledger, lost.batch, found);
    }
    case 'absent':
      return recordReconciled(ledger, lost.batch, { kind: 'absent' }, deps.getAccount(account).reconcile);
    case 'unsure':
      return stopBatch(ledger, lost.batch, search.message);
  }
}

function searchService({ ledger, getApi }: Deps, account: AccountId, lost: BatchToReconcile): Promise<Search> {
  const api = getApi(account);
  return findBatchInDoubt(lost, {
    list: (query) => api.ask('poll', (client) => client.listSubmissions(query)),
    detail: (reference, page) => api.ask('poll', (client) => client.getSubmission(reference, page)),
    isTaken: (reference) => isKnownReference(ledger, account, reference),
  });
}
