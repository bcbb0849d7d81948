import type { World } from './world.ts';

/** The ledger, the service and the oracle say the same about the money of all submissions. */
export function compareCharges({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  oracle.check();
  const { charged: theirs } = stores.read.service
    .prepare('SELECT coalesce(sum(charged), 0) AS charged FROM submissions')
    .get() as { charged: number };
  const { charged: ours } = stores.read.ledger
    .prepare(`SELECT coalesce(sum(amount), 0) AS charged FROM charges WHERE kind = 'batch'`)
    .get() as { charged: number };
  if (theirs !== ours) oracle.breach(`the service charged ${theirs}, the ledger says ${ours}`);
  if (theirs !== oracle.charged) oracle.breach(`the service charged ${theirs}, the oracle saw ${oracle.charged}`);
}

/** Each job has ended, at the service and in the ledger: one whose tracker was lost would stay open. */
export function compareJobs({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  const open = stores.read.ledger
    .prepare(`SELECT reference FROM batches WHERE state = 'accepted' AND settled_at IS NULL ORDER BY id`)
    .all() as { reference: string }[];
  for (const { reference } of open) oracle.breach(`${reference} has ended, and the ledger does not know it`);
}
