import { needsRecovery } from '../submission/history-hold.ts';
import { isAccountHold, isSpendReason, isWantOfMoney, type Reason, renderReason } from '../submission/reason.ts';
import { DISPATCH_PHASE } from '../temporal-api/phases.ts';
import { OperationError, type OperationFailure } from './operation-error.ts';

/** What the ledger and the dispatcher know about a run that waits. */
export interface StallFacts {
  readonly watch: string;
  /** The phase of the account's dispatcher; null when it is not known. */
  readonly dispatcher: string | null;
  /** Why the whole account sends nothing; null when nothing holds it. */
  readonly account: Reason | null;
  /** Whether the configuration holds the account where the list of jobs cannot be read. */
  readonly needsList: boolean;
  /** Why the key of the account is not used; null when it is. */
  readonly keyRejected: Reason | null;
  /** Why a batch of the run waits; null when nothing speaks against it. */
  readonly own: Reason | null;
  /** What the service last said of the balance, as a sentence; empty when it never did. */
  readonly balance: string;
  /** The last answer to any attempt of the account since the command started. */
  readonly answer: 'key_rejected' | 'no-money' | 'accepted' | 'other' | null;
}

const REST = 'Planned batches keep their idempotency keys: a running worker or the next run sends them.';

/**
 * Why waiting longer cannot help a command, with what to do; null when it may help. What holds the account comes first
 * and is named: neither jobs that the ledger does not know nor another service are a want of money.
 */
export function explainStall({
  watch,
  dispatcher,
  account,
  needsList,
  keyRejected,
  own,
  balance,
  answer,
}: StallFacts): OperationError | null {
  const end = (failure: OperationFailure, what: string) => {
    const known = failure === 'funds' && balance !== '' ? ` ${balance}` : '';
    return new OperationError(failure, `${watch}: ${what.replace(/[.]$/, '')}.${known} ${REST}`);
  };
  // No attempt has an answer where the key was rejected before the first one, by the comparison of the history.
  const isRejected = answer === 'key_rejected' || (answer === null && keyRejected !== null);
  if (dispatcher === DISPATCH_PHASE.keyRejected && isRejected) {
    const why = own ?? keyRejected;
    return end('key_rejected', `the service rejects the API key${why === null ? '' : `: ${renderReason(why)}`}`);
  }
  // One that the configuration no longer asks for ends before the next send.
  const holds = (reason: Reason) =>
    isAccountHold(reason) && (needsList || reason.code !== 'history_hold' || needsRecovery(reason.hold));
  const hold = [account, own].find((reason) => reason !== null && holds(reason));
  if (hold != null) return end('held', `the account is held: ${renderReason(hold)}`);
  if (dispatcher !== DISPATCH_PHASE.suspended) return null;
  if (own !== null && isForMoney(own)) return end('funds', `insufficient funds: ${renderReason(own)}`);
  if (account !== null && isForMoney(account)) {
    const also = own === null ? '' : `. A batch of this run waits for another reason as well: ${renderReason(own)}`;
    return end('funds', `the account waits for money, so nothing of it is sent: ${renderReason(account)}${also}`);
  }
  return answer === 'no-money' ? end('funds', 'insufficient funds') : null;
}

/** Also a cap: it is money that the configuration does not allow now. */
const isForMoney = (reason: Reason): boolean =>
  isWantOfMoney(reason) && (isSpendReason(reason) || reason.code === 'insufficient_balance');
