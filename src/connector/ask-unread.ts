import { getReading } from '../../activities/reading.ts';
import type { Account, Config } from '../config/config.ts';
import { askUnreadJobs } from '../ledger/jobs/unread-jobs.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { listOpenAccounts } from '../ledger/plans/find-open-work.ts';
import type { AccountId } from '../submission/ids.ts';

interface Context {
  readonly config: Config;
  readonly ledger: Ledger;
}

/**
 * Asks for the jobs that the configuration may understand by now, and that were not read with it yet. Returns the accounts
 * that have some: their dispatchers start the trackers.
 */
export async function askUnread({ config, ledger }: Context): Promise<AccountId[]> {
  const asked: AccountId[] = [];
  for (const account of config.accounts.values())
    if ((await askUnreadJobs(ledger, account.id, getReading(account))) > 0) asked.push(account.id);
  return asked;
}

/**
 * Returns a function for a worker's clock: at the first call, and when the configuration has changed, it asks for those jobs
 * and wakes the dispatchers. Where the words of an account have changed, its open jobs are polled again, too: one may
 * be overdue, and is not polled any more.
 */
export function createUnreadWatch(
  { getConfig, ledger }: { readonly getConfig: () => Config; readonly ledger: Ledger },
  wake: (account: AccountId) => Promise<void>,
): () => Promise<void> {
  let before: Config | null = null;
  return async () => {
    const config = getConfig();
    if (config === before) return;
    const reread =
      before === null ? [] : [...config.accounts.values()].filter(changedSince(before)).map(({ id }) => id);
    const accounts = new Set([
      ...(await askUnread({ config, ledger })),
      ...(await listOpenAccounts(ledger.db, reread)),
    ]);
    for (const account of accounts) await wake(account);
    before = config;
  };
}

const changedSince =
  ({ accounts }: Config) =>
  (account: Account): boolean => {
    const former = accounts.get(account.id);
    return former !== undefined && getReading(former) !== getReading(account);
  };
