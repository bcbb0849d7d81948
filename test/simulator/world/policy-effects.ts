import type { World } from './world.ts';

/** What the ledger has where a policy was at work, as the rest of a SELECT. */
const EFFECTS = {
  'max_new holds a run': `runs WHERE held LIKE '%"max_new"%'`,
  'max_new_percent holds a run': `runs WHERE held LIKE '%"max_new_percent"%'`,
  'max_changed holds a run': `runs WHERE held LIKE '%"max_changed"%'`,
  'a baseline adopts': 'runs WHERE baseline = 1 AND first_run = 1 AND found > 0',
} as const;

/** Counts what the policy of a world has done to its runs and pages. */
export function countEffects({ scenario, stores, happenings }: World): void {
  if (scenario.habits?.includes('policies') !== true) return;
  for (const [what, where] of Object.entries(EFFECTS)) {
    const row = stores.read.ledger.prepare(`SELECT count(*) AS n FROM ${where}`).get() as { readonly n: number };
    happenings.add(what, row.n);
  }
  if (scenario.policy?.buysChanges !== false) return;
  const row = stores.read.ledger
    .prepare('SELECT count(*) AS n FROM urls WHERE version > bought_version AND due IS NULL')
    .get() as { readonly n: number };
  happenings.add('a change is not bought', row.n);
}
