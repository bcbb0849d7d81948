import { ACCOUNT_NAMES, SERVICE_NAMES } from './account-names.ts';
import type { World } from './world.ts';

/**
 * The ledger, the service and the oracle say the same about the money of all submissions. A recovered job whose charge the
 * service does not show counts at what was expected.
 */
export function compareCharges({ stores, oracle, scenario, wasRestored }: World): void {
  oracle.check();
  if (wasRestored && typeof scenario.services?.dialect?.profile === 'number') return;
  let total = 0;
  for (const account of ACCOUNT_NAMES) {
    const { charged: theirs } = stores.read.service
      .prepare(
        `SELECT coalesce(sum(charged), 0) AS charged FROM submissions
         WHERE account_id = (SELECT id FROM accounts WHERE name = ?)`,
      )
      .get(SERVICE_NAMES[account]) as { charged: number };
    const { charged: ours } = stores.read.ledger
      .prepare(`SELECT coalesce(sum(amount), 0) AS charged FROM charges WHERE kind = 'batch' AND account_id = ?`)
      .get(account) as { charged: number };
    if (theirs !== ours) oracle.breach(`the service charged ${account} ${theirs}, the ledger says ${ours}`);
    total += theirs;
  }
  if (total !== oracle.charged) oracle.breach(`the service charged ${total}, the oracle saw ${oracle.charged}`);
}

/** Each job has ended, at the service and in the ledger: one whose tracker was lost would stay open. */
export function compareJobs({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  const open = stores.read.ledger
    .prepare(`SELECT reference FROM batches WHERE state = 'accepted' AND settled_at IS NULL ORDER BY id`)
    .all() as { reference: string }[];
  for (const { reference } of open) oracle.breach(`${reference} has ended, and the ledger does not know it`);
}
