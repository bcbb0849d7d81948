import type { AccountId, Reference } from './ids.ts';

/** Why an account sends nothing although its balance and key would allow it. */
export type HistoryHold =
  /** `courier recover` has started and not completed. `references`: jobs for which the account was held before. */
  | { readonly code: 'recovering'; readonly references: readonly Reference[] }
  /** The service has jobs of ours that the ledger does not know. */
  | { readonly code: 'unknown_jobs'; readonly references: readonly Reference[]; readonly more: boolean }
  /** The list of jobs cannot be read, so nothing shows whether the ledger is complete. Ends by itself once it can be. */
  | { readonly code: 'list_unread'; readonly why: string };

/** The jobs that it names. */
export const listHeldJobs = (hold: HistoryHold | null): readonly Reference[] =>
  hold === null || hold.code === 'list_unread' ? [] : hold.references;

/** Whether it lasts until an operator ends it. */
export const needsRecovery = ({ code }: HistoryHold): boolean => code !== 'list_unread';

/** Jobs that a message names. */
const SHOWN = 5;

/** What happened, what it means for the money, and what to do. */
export function describeHistoryHold(account: AccountId, hold: HistoryHold): string {
  const command = `"courier recover --account ${account}"`;
  switch (hold.code) {
    case 'recovering': {
      const [named] = hold.references;
      const example = named === undefined ? '' : `, such as job ${named}`;
      return (
        `${command} has not ended well, so the ledger may not know all that was bought${example}. Nothing is sent until it ` +
        `has. Run ${command} again; add --accept where the jobs that it leaves out are not this ledger's`
      );
    }
    case 'unknown_jobs': {
      const named = hold.references.slice(0, SHOWN).join(', ');
      const more = hold.more || hold.references.length > SHOWN ? ' and more' : '';
      return (
        `the service has jobs of ours that this ledger does not know (${named}${more}): it is a ` +
        'restored copy or a new ledger, and what it would buy may be bought already. Nothing is sent. ' +
        `Run ${command}; add --accept where the jobs are not this ledger's`
      );
    }
    case 'list_unread':
      return (
        `the list of jobs cannot be read (${hold.why}), so nothing shows whether this ledger has all that was bought: a ` +
        'restored copy would buy again what it lacks. Nothing is sent until the list can be read; then it continues by ' +
        `itself. To go on without the list, set accounts.${account}.reconcile.list to optional`
      );
  }
}
