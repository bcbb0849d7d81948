import type { Account, Watch } from '../config/config.ts';
import { getStatusAsConfigured } from '../ledger/money/account-status.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { listHeldRuns } from '../ledger/reports/held-runs.ts';
import { getRunProgress } from '../ledger/reports/run-summary.ts';
import { isHeldForMoney } from '../ledger/runs/run-hold.ts';
import { findActiveRun } from '../ledger/runs/runs.ts';
import { describeRemedy } from '../submission/hold-question.ts';
import { isWantOfMoney, renderReason, withoutStop } from '../submission/reason.ts';
import { OperationError } from './operation-error.ts';

/**
 * What a command says whose run could not begin because another one of the watch is active, when that one waits for money or
 * for a key that works: "wait for it to end" would help nobody. Null when it waits for neither.
 */
export async function explainActiveRun(ledger: Ledger, watch: Watch, account: Account): Promise<OperationError | null> {
  const run = await findActiveRun(ledger.db, watch.id);
  if (run === null) return null;
  const [held] = (await listHeldRuns(ledger, watch.id)).filter((each) => each.run === run && isHeldForMoney(each));
  if (held !== undefined) {
    const remedy = describeRemedy(held.reasons);
    const why = held.reasons.map(renderReason).join('; ');
    return toError(
      'funds',
      watch,
      `${run} is active and waits for money`,
      `${withoutStop(why)}${remedy === null ? '' : `. ${remedy}`}`,
    );
  }
  if ((await getRunProgress(ledger, run)).unanswered === 0) return null;
  const { keyRejected, suspended } = await getStatusAsConfigured(ledger, account);
  if (keyRejected !== null) {
    return toError(
      'key_rejected',
      watch,
      `${run} is active, and the service rejects the API key`,
      renderReason(keyRejected),
    );
  }
  if (suspended === null || !isWantOfMoney(suspended)) return null;
  return toError('funds', watch, `${run} is active and waits for money`, renderReason(suspended));
}

const toError = (failure: 'funds' | 'key_rejected', { id }: Watch, what: string, why: string): OperationError =>
  new OperationError(
    failure,
    `${id}: ${what}: ${withoutStop(why)}. It goes on by itself once that is settled. This run began nothing, and submitted and charged nothing.`,
  );
