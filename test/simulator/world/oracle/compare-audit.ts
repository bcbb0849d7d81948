import { type Micros, micros } from '../../../../contract/money.ts';
import type { AuditEntry, ListedJob } from '../../../../src/connector/audit/audit.ts';
import { compareFacts } from '../../../../src/connector/audit/compare-facts.ts';
import { listMissing, readLedgerFacts } from '../../../../src/connector/audit/read-ledger.ts';
import type { AccountId, Reference } from '../../../../src/submission/ids.ts';
import { type AccountName, SERVICE_NAMES } from '../account-names.ts';
import { readCommitted } from '../committed-ledger.ts';
import type { World } from '../world.ts';
import { checkAudit, type Outside } from './audit-rule.ts';
import { showsCharges } from './compare-charges.ts';

/** What `courier audit` says of each account, beside what the world did to it. */
export async function compareAudits(world: World): Promise<void> {
  for (const account of world.accounts) await compareAudit(world, account);
}

async function compareAudit(world: World, account: AccountName): Promise<void> {
  const { oracle, kernel } = world;
  const now = kernel.now();
  const facts = await readLedgerFacts({
    ledger: readCommitted(world),
    account: { id: account as AccountId },
    watches: [...world.readConfig().watches.values()],
    period: { from: 0, until: Number.MAX_SAFE_INTEGER },
    list: { kind: 'read', jobs: listJobs(world, account) },
    balance: { amount: micros(world.readBalance(account)), at: now },
    balanceFailure: null,
  });
  const audit = compareFacts({ ...facts, lookedUp: new Map(listMissing(facts).map((reference) => [reference, null])) });
  checkAudit({
    ...{ report: oracle.toReport('audit'), audit, account: SERVICE_NAMES[account] },
    outside: readOutside(world, account),
    mayDiffer: ({ reference }: AuditEntry) =>
      reference !== null && (oracle.elsewhere.has(reference) || oracle.findShown(reference) !== null),
    assumed: facts.booked.reduce((sum, { bucket, amount }) => (bucket === 'assumed' ? sum + amount : sum), 0),
  });
}

interface JobRow {
  readonly reference: Reference;
  readonly project: string;
  readonly status: string;
  readonly createdAt: number;
  readonly urlCount: number;
  readonly charged: Micros;
}

/** Jobs for which the account has paid: those that the world only puts into the list have no entry. */
function listJobs(world: World, account: AccountName): ListedJob[] {
  const rows = world.stores.read.service
    .prepare(
      `SELECT s.reference, s.project, s.status, s.created_at AS createdAt, s.url_count AS urlCount, s.charged
       FROM submissions AS s JOIN accounts AS a ON a.id = s.account_id
       WHERE a.name = ? AND EXISTS (SELECT 1 FROM entries AS e WHERE e.subject = s.reference AND e.kind = 'charge')
       ORDER BY s.id`,
    )
    .all(SERVICE_NAMES[account]) as unknown as JobRow[];
  const isShown = showsCharges(world);
  return rows.map(({ status, charged, ...job }) => {
    return { ...job, state: status, charged: isShown ? charged : null, pricePerUrl: null };
  });
}

interface MovementRow {
  readonly kind: string;
  readonly subject: string;
  readonly amount: number;
  readonly key: string | null;
}

function readOutside(world: World, account: AccountName): Outside {
  const rows = world.stores.read.service
    .prepare(
      `SELECT e.kind, e.subject, e.amount, c.idempotency_key AS key
       FROM entries AS e JOIN accounts AS a ON a.id = e.account_id LEFT JOIN index_checks AS c ON c.id = e.subject
       WHERE a.name = ? ORDER BY e.id`,
    )
    .all(SERVICE_NAMES[account]) as unknown as MovementRow[];
  const isLost = (key: string | null) => key !== null && world.oracle.isLostCheck(key);
  // A recovered job stands where the service's clock says that it was created, one that is sent again soon where that was.
  const isMisplaced = (reference: string) =>
    (world.kernel.hadOffset('service') && world.oracle.isLostJob(reference)) || world.oracle.isSoonSentAgain(reference);
  return {
    spent: rows.flatMap(({ kind, subject, amount, key }) =>
      (kind === 'adjustment' && amount < 0) || (kind === 'charge' && (isLost(key) || isMisplaced(subject)))
        ? [-amount]
        : [],
    ),
    received: rows.flatMap(({ amount }) => (amount > 0 ? [amount] : [])),
  };
}
