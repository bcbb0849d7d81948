import { findLostBatch } from '../src/api-client/find-lost.ts';
import type { Sending } from '../src/ledger/begin-send.ts';
import { isTaken } from '../src/ledger/is-taken.ts';
import type { AnswerRecorded } from '../src/ledger/record-answer.ts';
import { recordReconciled } from '../src/ledger/record-reconciled.ts';
import { stopBatch } from '../src/ledger/stop-batch.ts';
import type { AccountId } from '../src/submission/ids.ts';
import type { Deps } from './deps.ts';
import { throwingFailures } from './requests.ts';

type Lost = Extract<Sending, { kind: 'reconcile' }>;

/** Looks a batch whose outcome is unknown up in the service's list, before anything of it is sent again. */
export async function reconcileBatch({ ledger, apiOf }: Deps, account: AccountId, lost: Lost): Promise<AnswerRecorded> {
  const api = apiOf(account);
  const search = await throwingFailures(() =>
    findLostBatch(lost, {
      list: (query) => api.ask('poll', (client) => client.listSubmissions(query)),
      detail: (reference, page) => api.ask('poll', (client) => client.getSubmission(reference, page)),
      isTaken: (reference) => isTaken(ledger, account, reference),
    }),
  );
  switch (search.kind) {
    case 'found': {
      const { reference, state, charged } = search.submission;
      const found = { kind: 'found', reference, state, charged, pricePerUrl: null, balance: null } as const;
      return recordReconciled(ledger, lost.batch, found);
    }
    case 'absent':
      return recordReconciled(ledger, lost.batch, { kind: 'absent' });
    case 'unsure':
      return stopBatch(ledger, lost.batch, search.message);
  }
}
