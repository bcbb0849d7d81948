import type { Account } from '../src/config/config.ts';
import { findStop } from '../src/ledger/accounts/stops.ts';
import { getStatusAsConfigured } from '../src/ledger/money/account-status.ts';
import { getWaitingMoney } from '../src/ledger/money/waiting-money.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import type { RunProgress } from '../src/ledger/reports/run-summary.ts';
import { isAccountHold, renderReason } from '../src/submission/reason.ts';
import { batches, counted, money, urls, withoutStop } from '../src/temporal-api/sentences.ts';
import { describeShortage } from './describe-shortage.ts';

export interface RunWait {
  readonly progress: RunProgress;
  /** Batches of earlier runs that are due. */
  readonly earlier: number;
  /** Jobs of the watch that have not ended. */
  readonly open: number;
}

export interface DescribedWait {
  readonly text: string;
  /** The account sends nothing: waiting a second more changes nothing. */
  readonly isStuck: boolean;
}

/** What a run waits for: how many batches and what they cost, and what holds up its account. */
export async function describeRunWait(ledger: Ledger, account: Account, wait: RunWait): Promise<DescribedWait> {
  const what = describeOpen(wait);
  if (wait.progress.unanswered + wait.earlier === 0) return { text: what, isStuck: false };
  const { suspended, keyRejected } = await getStatusAsConfigured(ledger, account);
  const held = keyRejected ?? (suspended !== null && isAccountHold(suspended) ? suspended : null);
  if (held !== null) return { text: `${what}: ${withoutStop(renderReason(held))}`, isStuck: true };
  const waiting = await getWaitingMoney(ledger, account.id);
  const reason = suspended ?? waiting.reason;
  if (reason === null) {
    const wait = await findStop(ledger.db, account.id, 'unanswered');
    return { text: wait === null ? what : `${what}: ${withoutStop(wait.reason.text)}`, isStuck: false };
  }
  return {
    text: `${describeShortage(waiting, account, reason)} (account ${account.id}; ${what})`,
    isStuck: suspended !== null,
  };
}

function describeOpen({ progress, earlier, open }: RunWait): string {
  const { unanswered, batches: all, planned, plannedCost } = progress;
  if (unanswered > 0) {
    return `${unanswered} of ${batches(all)} of this run not accepted yet, ${urls(planned)} for ${money(plannedCost)}`;
  }
  if (earlier > 0) return `${batches(earlier)} of earlier runs not accepted yet`;
  return `${counted(open, 'job of the watch has', 'jobs of the watch have')} not ended yet`;
}
