import { ApiError, AuthenticationError } from '../src/api-client/errors.ts';
import { findBatchInDoubt, type Search } from '../src/api-client/find-batch-in-doubt.ts';
import { recordStop } from '../src/ledger/accounts/stops.ts';
import { isKnownReference } from '../src/ledger/batches/batch-queries.ts';
import type { Sending } from '../src/ledger/batches/begin-send.ts';
import type { AnswerRecorded } from '../src/ledger/batches/record-answer.ts';
import { recordReconciled } from '../src/ledger/batches/record-reconciled.ts';
import { postponeLookup, reviewBatch } from '../src/ledger/batches/review-batch.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { elapsedBackoffMs } from '../src/submission/backoff.ts';
import type { AccountId } from '../src/submission/ids.ts';
import type { Deps } from './deps.ts';

type BatchToReconcile = Extract<Sending, { kind: 'reconcile' }>;

/** Waits before an unreadable list is requested again for the same batch. */
const LIST_BACKOFF = { firstMs: 2_000, maxMs: 5 * 60_000 };

/**
 * Looks up a batch in doubt in the service's list before any of it is sent again. A list that cannot be read now
 * postpones the batch, a rejected request leaves it for review: neither blocks other batches.
 */
export async function reconcileBatch(
  deps: Deps,
  account: AccountId,
  inDoubt: BatchToReconcile,
): Promise<AnswerRecorded | { readonly kind: 'postponed' }> {
  const { ledger, now } = deps;
  const { batch, firstSentAt } = inDoubt;
  let search: Search;
  try {
    search = await searchService(deps, account, inDoubt);
  } catch (error) {
    const retryAfterMs =
      error instanceof RateLimitedError
        ? error.waitMs
        : error instanceof ApiError && error.policy === 'retry'
          ? Math.max(error.retryAfterMs ?? 0, elapsedBackoffMs(now() - firstSentAt, LIST_BACKOFF))
          : null;
    if (retryAfterMs !== null) {
      await postponeLookup(ledger, batch, now() + Math.max(retryAfterMs, 1_000), (error as Error).message);
      return { kind: 'postponed' };
    }
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof AuthenticationError) {
      const reason = { code: 'answer', outcome: 'reject_key', text: error.message } as const;
      await recordStop(ledger.db, account, { kind: 'key', at: deps.now(), reason });
      return { kind: 'key_rejected', batch, reason: error.message };
    }
    return reviewBatch(ledger, batch, { code: 'lookup_refused', text: error.message });
  }
  switch (search.kind) {
    case 'found': {
      const { reference, state, charged, pricePerUrl, createdAt } = search.submission;
      const found = { kind: 'found', reference, state, charged, pricePerUrl, balance: null, createdAt } as const;
      return recordReconciled(ledger, batch, found);
    }
    case 'absent':
      return recordReconciled(ledger, batch, { kind: 'absent' }, deps.getAccount(account).reconcile);
    case 'unsure':
      return reviewBatch(ledger, batch, { code: 'lookup_unsure', text: search.message });
  }
}

function searchService({ ledger, getApi }: Deps, account: AccountId, inDoubt: BatchToReconcile): Promise<Search> {
  const api = getApi(account);
  return findBatchInDoubt(inDoubt, {
    list: (query) => api.request('poll', (client) => client.listSubmissions(query)),
    detail: (reference, page) => api.request('poll', (client) => client.getSubmission(reference, page)),
    isTaken: (reference) => isKnownReference(ledger, account, reference),
  });
}
