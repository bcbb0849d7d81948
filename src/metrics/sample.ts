import { getStatusAsConfigured } from '../ledger/money/account-status.ts';
import { getSpendLeft, type SpendLeft } from '../ledger/money/spend-left.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { AccountPolicy } from '../ledger/policy.ts';
import { type AccountFigures, getAccountFigures } from '../ledger/reports/account-figures.ts';
import { listWatchFigures, type WatchFigures } from '../ledger/reports/watch-figures.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import { needsRecovery } from '../submission/history-hold.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { isAccountHold, isOtherAccount, isWantOfMoney } from '../submission/reason.ts';

export interface AccountSample {
  readonly account: AccountId;
  readonly figures: AccountFigures;
  readonly spendLeft: SpendLeft;
  /** Requests that the limits of the key leave, by window. */
  readonly requestsLeft: Readonly<Record<string, number>>;
  readonly stopped: Readonly<Record<'suspended' | 'held' | 'refused' | 'other_account' | 'key_rejected', boolean>>;
}

/** What the ledger says at one moment. */
export interface Sample {
  readonly at: number;
  readonly accounts: readonly AccountSample[];
  readonly watches: readonly WatchSample[];
}

export interface WatchSample {
  readonly watch: WatchId;
  readonly figures: WatchFigures;
  /** How long it may go without a complete run; null: nobody expects one. */
  readonly lateAfterMs: number | null;
}

export interface Subjects {
  readonly accounts: Iterable<AccountPolicy>;
  /** And how long each may go without a complete run. */
  readonly watches: ReadonlyMap<WatchId, number | null>;
}

/** A scrape within this time gets the figures of the one before: ten scrapers cost the ledger as much as one. */
const FRESH_MS = 5_000;

/** Reads the figures of what is configured now. */
export function createSampler(
  ledger: Ledger,
  getLimiter: (account: AccountId) => RateLimiter,
  getSubjects: () => Subjects,
): () => Promise<Sample> {
  let last: { readonly at: number; readonly sample: Promise<Sample> } | null = null;
  return () => {
    const at = ledger.now();
    if (last === null || at - last.at >= FRESH_MS || at < last.at) {
      last = { at, sample: readSample(ledger, getLimiter, getSubjects(), at) };
      // A failure is not kept: the next scrape reads again.
      last.sample.catch(() => {
        last = null;
      });
    }
    return last.sample;
  };
}

async function readSample(
  ledger: Ledger,
  getLimiter: (account: AccountId) => RateLimiter,
  { accounts, watches }: Subjects,
  at: number,
): Promise<Sample> {
  const read = { accounts: [] as AccountSample[], watches: [] as WatchSample[] };
  for (const policy of accounts) {
    const account = policy.id;
    const { suspended, keyRejected } = await getStatusAsConfigured(ledger, policy);
    const held = suspended?.code === 'history_hold' && needsRecovery(suspended.hold);
    const other = suspended !== null && isOtherAccount(suspended);
    const refused = suspended !== null && !held && !other && isAccountHold(suspended);
    read.accounts.push({
      account,
      figures: await getAccountFigures(ledger, account),
      spendLeft: await getSpendLeft(ledger, policy),
      requestsLeft: await getLimiter(account).getRemaining(),
      stopped: {
        suspended: suspended !== null && isWantOfMoney(suspended),
        held,
        refused,
        other_account: other,
        key_rejected: keyRejected !== null,
      },
    });
  }
  for (const [watch, figures] of await listWatchFigures(ledger, [...watches.keys()]))
    read.watches.push({ watch, figures, lateAfterMs: watches.get(watch) ?? null });
  return { at, ...read };
}
