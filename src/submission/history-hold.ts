import type { AccountId, Reference } from './ids.ts';

/** Why an account sends nothing although its balance and key would allow it. */
export type HistoryHold =
  /** `courier recover` has started and not completed. */
  | { readonly code: 'recovering' }
  /** The service has jobs of ours that the ledger does not know. */
  | { readonly code: 'unknown_jobs'; readonly references: readonly Reference[]; readonly more: boolean };

/** What happened, what it means for the money, and what to do. */
export function describeHistoryHold(account: AccountId, hold: HistoryHold): string {
  const command = `"courier recover --account ${account}"`;
  switch (hold.code) {
    case 'recovering':
      return (
        `${command} has not ended well, so the ledger may not know all that was bought. Nothing is sent until it has. ` +
        `Run ${command} again`
      );
    case 'unknown_jobs': {
      const named = hold.references.join(', ');
      return (
        `the service has jobs of ours that this ledger does not know (${named}${hold.more ? ' and more' : ''}): it is a ` +
        'restored copy or a new ledger, and what it would buy may be bought already. Nothing is sent. ' +
        `Run ${command}; add --accept where the jobs are not this ledger's`
      );
    }
  }
}
