import { ACCOUNT_NAMES, SERVICE_NAMES } from '../account-names.ts';
import { FORGOTTEN } from '../stores.ts';
import type { World } from '../world.ts';
import { checkCharges, type LedgerEntry, type ServiceEntry } from './charges-rule.ts';
import { CHECK_PRICE } from './check-rule.ts';

const DAY = 86_400_000;

/** The ledger, the service and the oracle say the same about the money of all submissions and index-checks. */
export function compareCharges(world: Compared): void {
  const { stores, oracle, scenario } = world;
  oracle.check();
  const jobs = stores.read.service
    .prepare(
      `SELECT s.reference AS name, replace(s.idempotency_key, '${FORGOTTEN}', '') AS key, a.name AS account, s.charged,
         s.url_count AS urls
       FROM submissions AS s JOIN accounts AS a ON a.id = s.account_id`,
    )
    .all() as unknown as ServiceEntry[];
  const ours = jobs.filter(({ name }) => !oracle.elsewhere.has(name));
  // Lists of such a service show no charge: a job that is found there counts at a price of before.
  const guesses = !showsCharges({ scenario }) && (hasPrices(world) || world.wasRestored);
  checkCharges({
    ...{ report: oracle.toReport('charges'), kind: 'batch', service: ours, ledger: readLedger(world, 'batch') },
    findSeen: (name) => oracle.findSeen('batch', name),
    findShown: (name) => oracle.findShown(name),
    mayMiss: () => false,
    mayAssume: (key) => oracle.isLeftBatch(key),
    isGuessed: guesses,
    priceRange: oracle.getPriceRange(),
  });
  const checks = stores.read.service
    .prepare(
      `SELECT c.idempotency_key AS name, c.idempotency_key AS key, a.name AS account, c.charged, c.url_count AS urls
       FROM index_checks AS c JOIN accounts AS a ON a.id = c.account_id WHERE c.idempotency_key IS NOT NULL`,
    )
    .all() as unknown as ServiceEntry[];
  const open = new Set(
    (
      stores.read.ledger
        .prepare(`SELECT idempotency_key AS key FROM checks WHERE state IN ('planned', 'sending')`)
        .all() as unknown as { readonly key: string }[]
    ).map(({ key }) => key),
  );
  checkCharges({
    ...{ report: oracle.toReport('charges'), kind: 'check', service: checks, ledger: readLedger(world, 'check') },
    findSeen: (key) => oracle.findSeen('check', key),
    findShown: () => null,
    // No list shows an index-check that a copy lacks.
    mayMiss: (key) => open.has(key) || oracle.isLostCheck(key),
    mayAssume: (key) => oracle.mayCheckBeCharged(key),
    isGuessed: false,
    priceRange: [CHECK_PRICE, CHECK_PRICE],
  });
  const total = ours.reduce((sum, { charged }) => sum + charged, 0);
  if (total !== oracle.charged)
    oracle.breach(`the service charged ${total}, the oracle saw ${oracle.charged}`, { rule: 'charges' });
}

/** What the journal has booked for each purchase, after what was corrected. */
const CLOSED = `
  SELECT account_id, watch_id, run_id, kind, of_id, min(day) AS day,
    max(to_bucket = 'charged') AS reported,
    sum(CASE WHEN to_bucket IN ('charged', 'assumed') THEN amount ELSE 0 END
      - CASE WHEN from_bucket IN ('charged', 'assumed') THEN amount ELSE 0 END) AS amount
  FROM journal WHERE to_bucket IN ('charged', 'assumed') OR from_bucket IN ('charged', 'assumed')
  GROUP BY account_id, watch_id, run_id, kind, of_id`;

function readLedger({ stores }: Compared, kind: 'batch' | 'check'): LedgerEntry[] {
  const rows = stores.read.ledger
    .prepare(
      `SELECT ${kind === 'batch' ? 'b.reference' : 'b.idempotency_key'} AS name, b.idempotency_key AS key, c.account_id AS account,
         c.amount, b.urls,
         c.reported, w.name AS watch, r.name AS run, c.day
       FROM (${CLOSED}) AS c LEFT JOIN ${kind === 'batch' ? 'batches' : 'checks'} AS b ON b.id = c.of_id
       JOIN watches AS w ON w.id = c.watch_id LEFT JOIN runs AS r ON r.id = c.run_id WHERE c.kind = ?`,
    )
    .all(kind) as unknown as (Omit<LedgerEntry, 'isReported'> & { readonly reported: number })[];
  return (
    rows
      // What was left in review counts for nothing once its job has shown up.
      .filter(({ account, amount }) => amount !== 0 && (ACCOUNT_NAMES as readonly string[]).includes(account))
      .map(({ reported, day, account, ...row }) => ({
        ...row,
        account: SERVICE_NAMES[account as (typeof ACCOUNT_NAMES)[number]],
        isReported: reported === 1,
        day: Math.floor(day / DAY),
      }))
  );
}

const hasPrices = ({ scenario }: Compared): boolean =>
  scenario.acts.some(({ kind }) => kind === 'change price' || kind === 'change both prices');

/** Whether the service shows what a job cost, where its list and its detail are read. */
export const showsCharges = ({ scenario }: Pick<Compared, 'scenario'>): boolean =>
  typeof scenario.services?.dialect?.profile !== 'number';

type Compared = Pick<World, 'stores' | 'oracle' | 'wasRestored'> & {
  readonly scenario: Pick<World['scenario'], 'acts' | 'services'>;
};

/** Each job has ended, at the service and in the ledger: one whose tracker was lost would stay open. */
export function compareJobs({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  const open = stores.read.ledger
    .prepare(`SELECT reference FROM batches WHERE state = 'accepted' AND settled_at IS NULL ORDER BY id`)
    .all() as { reference: string }[];
  for (const { reference } of open)
    oracle.breach(`${reference} has ended, and the ledger does not know it`, { rule: 'jobs' });
}
