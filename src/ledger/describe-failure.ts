import type { DatabaseFailure, DatabaseUnavailableError } from '../database/database.ts';

const KEPT =
  'What was recorded before is kept: planned batches keep their idempotency keys, and nothing is bought twice.';

/** What to do about each. */
export const LEDGER_REMEDY: Readonly<Record<DatabaseFailure, string>> = {
  damaged:
    'It does not heal by itself. Stop every worker and cron job, put the newest backup in its place ("courier restore FILE"), and run "courier recover": ' +
    'it takes in from the service what was bought since. Without a backup, move the file away and run the same (docs/guides/operate.md, Restore)',
  replaced:
    'Stop every worker and cron job. Put the file back, or keep the one that is there now, and run "courier recover": it takes in ' +
    'from the service what only the former file knew. Then start the worker',
  full: 'Free space on its disk, or see why the disk fails, then run the same command again; a worker goes on by itself',
  file: 'See who else writes to it, and whether this user may write to the file and its folder, then run the same command again',
  away: 'Bring the database back, then run the same command again; a worker goes on by itself',
};

/** What a failure of the ledger's database means for URLs and money, and what to do. */
export function describeLedgerFailure({ message, failure }: DatabaseUnavailableError): string {
  const what = message.replace(/\.$/, '');
  const first = {
    damaged: `The ledger is damaged: ${what}. Nothing was sent, and the jobs at the service are safe.`,
    replaced: `The ledger is not the one that this process began with: ${what}. Nothing more was sent since.`,
    full: `The ledger cannot be written now: ${what}. ${KEPT}`,
    file: `The ledger cannot be used now: ${what}. ${KEPT}`,
    away: `The ledger cannot be used now: ${what}. ${KEPT}`,
  }[failure];
  return `${first} ${LEDGER_REMEDY[failure]}.`;
}
