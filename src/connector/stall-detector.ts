import type { Client } from '@temporalio/client';
import type { Watch } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getLatestAnswer } from '../ledger/reports/latest-answer.ts';
import type { RunId } from '../submission/ids.ts';
import { dispatcherWorkflowId } from '../temporal-api/ids.ts';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';
import { OperationError } from './operation-error.ts';
import type { JobProgress } from './run-client.ts';

/** A dispatcher that was parked by an earlier run looks again when it is woken; so long its phase proves nothing. */
const SETTLE_MS = 5_000;

/**
 * Watches a run that waits for the service, and throws when waiting is no use to a command that should end: the key is
 * refused (6), the money does not suffice (7), or no batch got its answer for `giveUpMs` (5). The run itself stays and
 * goes on.
 */
export function createStallDetector(client: Client, ledger: Ledger, watch: Watch, run: RunId, giveUpMs: number) {
  const startedAt = Date.now();
  let seen = '';
  let since = startedAt;
  return async ({ phase, summary }: JobProgress): Promise<void> => {
    const now = Date.now();
    const state = `${phase} ${summary?.unanswered} ${summary?.submitted}`;
    if (state !== seen) [seen, since] = [state, now];
    if (phase !== 'submitting' || (summary?.unanswered ?? 0) === 0 || now - since < SETTLE_MS) return;
    const { reason, answer } = await getLatestAnswer(ledger, run, startedAt);
    const why = reason === null ? '' : `: ${reason.replace(/[.]$/, '')}`;
    const dispatcher = await getDispatcherPhase(client, ledger, watch);
    const rest =
      'What was planned stays planned under its key and goes on by itself while a worker runs, or with the next run.';
    if (dispatcher === 'key rejected' && answer === 'key_rejected') {
      throw new OperationError('key_rejected', `${watch.id}: the API key is refused${why}. ${rest}`);
    }
    if (dispatcher === 'suspended' && (answer === 'no-money' || reason !== null)) {
      throw new OperationError('funds', `${watch.id}: the money does not suffice${why}. ${rest}`);
    }
    if (now - since < giveUpMs) return;
    throw new OperationError(
      'no_response',
      `${watch.id}: batches without an answer: ${summary!.unanswered}, for ${spanText(giveUpMs)} now${why}. ${rest}`,
    );
  };
}

const spanText = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} minutes`;

async function getDispatcherPhase(client: Client, ledger: Ledger, { account }: Watch): Promise<string | null> {
  try {
    const { typedSearchAttributes } = await client.workflow
      .getHandle(dispatcherWorkflowId(ledger.id, account))
      .describe();
    return typedSearchAttributes.get(SEARCH_ATTRIBUTES.phase) ?? null;
  } catch {
    return null;
  }
}
