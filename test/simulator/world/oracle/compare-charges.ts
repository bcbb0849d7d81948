import { ACCOUNT_NAMES, SERVICE_NAMES } from '../account-names.ts';
import type { World } from '../world.ts';

/**
 * The ledger, the service and the oracle say the same about the money of all submissions. A recovered job whose charge the
 * service does not show counts at what was expected.
 */
export function compareCharges({ stores, oracle, scenario, wasRestored }: Compared): void {
  oracle.check();
  const showsAll = showsCharges({ scenario });
  if (wasRestored && !showsAll) return;
  // Lists of such a service show no charge: a job that is found there counts at a price of before.
  const guesses = !showsAll && scenario.acts.some(({ kind }) => kind === 'change price');
  let total = 0;
  for (const account of ACCOUNT_NAMES) {
    const all = stores.read.service
      .prepare(
        `SELECT reference, charged, (SELECT count(*) FROM submission_urls WHERE submission_id = s.id) AS urls
         FROM submissions AS s WHERE account_id = (SELECT id FROM accounts WHERE name = ?)`,
      )
      .all(SERVICE_NAMES[account]) as unknown as Job[];
    const jobs = all.filter(({ reference }) => !oracle.elsewhere.has(reference));
    const charges = stores.read.ledger
      .prepare(
        `SELECT b.reference, c.amount AS charged, c.urls, c.reported FROM charges AS c LEFT JOIN batches AS b ON b.id = c.of_id
         WHERE c.kind = 'batch' AND c.account_id = ?`,
      )
      .all(account) as unknown as (Job & { readonly reported: number })[];
    const guessed = new Set(charges.flatMap(({ reference, reported }) => (guesses && !reported ? [reference] : [])));
    const lowest = Math.min(...jobs.map(({ charged, urls }) => charged / urls));
    for (const { reference, charged, urls } of charges) {
      if (guessed.has(reference) && charged < urls * lowest)
        oracle.breach(`the ledger counts ${charged} for ${reference}, less than ${urls} URLs ever cost`);
    }
    const [theirs, ours] = [sumWithout(jobs, guessed), sumWithout(charges, guessed)];
    if (theirs !== ours)
      oracle.breach(`the service charged ${account} ${theirs}, the ledger says ${ours}`, { rule: 'books', account });
    total += sumWithout(jobs, new Set());
  }
  if (total !== oracle.charged) oracle.breach(`the service charged ${total}, the oracle saw ${oracle.charged}`);
}

/** Whether the service shows what a job cost, where its list and its detail are read. */
export const showsCharges = ({ scenario }: Pick<Compared, 'scenario'>): boolean =>
  typeof scenario.services?.dialect?.profile !== 'number';

type Compared = Pick<World, 'stores' | 'oracle' | 'wasRestored'> & {
  readonly scenario: Pick<World['scenario'], 'acts' | 'services'>;
};

interface Job {
  readonly reference: string;
  readonly charged: number;
  readonly urls: number;
}

const sumWithout = (jobs: readonly Job[], left: ReadonlySet<string>): number =>
  jobs.reduce((sum, { reference, charged }) => (left.has(reference) ? sum : sum + charged), 0);

/** Each job has ended, at the service and in the ledger: one whose tracker was lost would stay open. */
export function compareJobs({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  const open = stores.read.ledger
    .prepare(`SELECT reference FROM batches WHERE state = 'accepted' AND settled_at IS NULL ORDER BY id`)
    .all() as { reference: string }[];
  for (const { reference } of open) oracle.breach(`${reference} has ended, and the ledger does not know it`);
}
