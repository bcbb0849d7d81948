import { ZERO } from '../contract/money.ts';
import { beginCheck } from '../src/ledger/index-checks/begin-check.ts';
import { recordCheck } from '../src/ledger/index-checks/record-check.ts';
import { findPassingStop } from '../src/ledger/money/account-status.ts';
import { backoffMs } from '../src/submission/backoff.ts';
import { decideCheckOutcome } from '../src/submission/outcome.ts';
import type { CheckStep, WatchRun } from '../src/temporal-api/payloads.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import { ensureDispatcher } from '../src/temporal-api/wake-dispatcher.ts';
import { recordFreshBalance } from './balance-witness.ts';
import type { Deps } from './deps.ts';
import { openSpendingGuard } from './history-guard.ts';

const NO_VERDICTS =
  'the service charged the check, but none of its verdicts is known. This run makes no further checks. Compare the ' +
  'response with the account\'s "status_map.check" and add the missing names';

/** The activities for a watch's index-checks: one batch at a time. */
export function checkActivities(deps: Deps) {
  const { client, ledger, getWatch, getAccount, getApi, now, random, emit } = deps;
  const guard = openSpendingGuard(deps);
  return {
    async checkNextBatch(run: WatchRun & CanWait): Promise<CheckStep> {
      const step = await checkNext(run);
      // Checks end here; the dispatcher asks until the key is accepted, or the list can be read.
      if (step.kind === 'stopped' && (await findPassingStop(ledger, run.account)) !== null) {
        await ensureDispatcher(client, ledger.id, run.account);
      }
      return step;
    },
  };

  async function checkNext({ watch, account: id }: WatchRun): Promise<CheckStep> {
    const { indexCheck: policy, spend } = getWatch(watch);
    if (policy === null) return { kind: 'idle' };
    const account = getAccount(id);
    const hold = await guard.findHold(id);
    if (hold !== null) return { kind: 'stopped', reason: hold.reason };
    // Reserve a request before the check is recorded: every attempt on record is one that was made.
    return getApi(id).reserved('check', async (ask): Promise<CheckStep> => {
      const begin = () => beginCheck(ledger, { account, watch, spend, policy });
      let begun = await begin();
      if (begun.kind === 'not-allowed' && begun.refusal.reason.code === 'balance_unknown') {
        await recordFreshBalance(deps, id);
        begun = await begin();
      }
      switch (begun.kind) {
        case 'idle':
          return { kind: 'idle' };
        case 'stopped':
          return { kind: 'stopped', reason: begun.reason };
        case 'not-allowed':
          return { kind: 'stopped', reason: begun.refusal.message };
        case 'wait':
          throw retryLater(begun.until - now(), 'the last index-check waits for its next attempt');
        case 'send':
          break;
      }
      const { check, attempt, urls, inDoubt, key, body } = begun;
      const answer = await ask((client) => client.indexCheck(body, key));
      const outcome = decideCheckOutcome(answer, { urls, inDoubt: inDoubt });
      const { requestId } = answer;
      const recorded = await recordCheck(
        ledger,
        check,
        { attempt, outcome, requestId, backoffMs: backoffMs(attempt, random()) },
        policy,
      );
      switch (recorded.kind) {
        case 'checked':
          emit({ ...recorded, kind: 'index_check', account: id, watch, requestId });
          return { ...recorded, stop: outcome.kind === 'checked' && !outcome.usable ? NO_VERDICTS : null };
        case 'retry':
          throw retryLater(recorded.notBefore - now(), 'retrying the index-check with the same bytes and key');
        case 'refused':
          return { kind: 'checked', urls: 0, found: 0, charged: ZERO, stop: null };
        case 'suspended':
        case 'key_rejected':
        case 'stopped':
          return { kind: 'stopped', reason: recorded.reason };
      }
    });
  }
}
