import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { FaultProxy } from './proxy.ts';
import { PRICE } from './world.ts';

export interface Tally {
  readonly urls: number;
  /** (URL, generation) pairs that the service took. */
  readonly bought: number;
  readonly jobs: number;
  readonly checks: number;
}

export interface Verdict {
  readonly tally: Tally;
  /** What was promised and does not hold; empty when all does. */
  readonly breaches: readonly string[];
}

/** Compares the service's books with the ledger and with what the sites list. */
export async function judge(
  ledger: Database,
  books: Database,
  proxy: FaultProxy,
  listed: ReadonlyMap<string, readonly string[]>,
): Promise<Verdict> {
  const breaches: string[] = [];
  const promise = (holds: boolean, otherwise: string) => {
    if (!holds) breaches.push(otherwise);
  };

  for (const [key, bodies] of proxy.bodies)
    promise(bodies.size === 1, `key ${key} was sent with ${bodies.size} bodies`);

  const taken = await takenByService(books);
  const ours = await boughtInLedger(ledger);
  for (const { url, times } of taken.values()) {
    promise(
      times === (ours.get(url) ?? 0),
      `${url} was bought ${times} times, and the ledger has ${ours.get(url) ?? 0} generations of it`,
    );
  }
  for (const [url, times] of ours)
    promise(taken.has(url), `${url}: ${times} generations, of which the service knows none`);

  const bought = [...ours.values()].reduce((sum, times) => sum + times, 0);
  const theirs = await chargedByService(books);
  const charged = await chargedInLedger(ledger);
  promise(
    theirs.jobs === bought * PRICE,
    `the service charged ${theirs.jobs} for ${bought} URL generations at ${PRICE}, that is ${bought * PRICE}`,
  );
  promise(theirs.jobs === charged.jobs, `the service charged ${theirs.jobs}, the ledger says ${charged.jobs}`);
  promise(
    theirs.checks === charged.checks,
    `the service charged ${theirs.checks} for checks, the ledger says ${charged.checks}`,
  );

  for (const line of await unexplained(ledger)) breaches.push(line);
  const states = await statesOf(ledger);
  for (const urls of listed.values()) {
    for (const url of urls) promise(states.has(url), `${url} is listed, and the ledger has never heard of it`);
  }
  const counted = await books.get(sql<{ jobs: number; checks: number }>`
    SELECT (SELECT count(*) FROM submissions) AS jobs, (SELECT count(*) FROM index_checks) AS checks`);
  return { tally: { urls: states.size, bought, jobs: counted!.jobs, checks: counted!.checks }, breaches };
}

async function takenByService(books: Database) {
  const rows = await books.all(sql<{ url: string; times: number }>`
    SELECT url, count(*) AS times FROM submission_urls GROUP BY url`);
  return new Map(rows.map((row) => [row.url, row]));
}

/** Generations of each URL in accepted batches, each once: a generation in two batches shows as one that the service took more often. */
async function boughtInLedger(ledger: Database) {
  const rows = await ledger.all(sql<{ url: string; times: number }>`
    SELECT u.url, count(DISTINCT m.generation) AS times FROM batch_urls AS m
    JOIN batches AS b ON b.id = m.batch_id JOIN urls AS u ON u.id = m.url_id
    WHERE b.state = 'accepted' GROUP BY u.url`);
  return new Map(rows.map(({ url, times }) => [url, times]));
}

async function chargedByService(books: Database) {
  const row = await books.get(sql<{ jobs: number; checks: number }>`
    SELECT coalesce(sum(CASE WHEN s.reference IS NOT NULL THEN -e.amount ELSE 0 END), 0) AS jobs,
      coalesce(sum(CASE WHEN s.reference IS NULL THEN -e.amount ELSE 0 END), 0) AS checks
    FROM entries AS e LEFT JOIN submissions AS s ON s.reference = e.subject WHERE e.kind <> 'top_up'`);
  return row!;
}

async function chargedInLedger(ledger: Database) {
  const row = await ledger.get(sql<{ jobs: number; checks: number }>`
    SELECT coalesce(sum(CASE WHEN kind = 'batch' THEN amount ELSE 0 END), 0) AS jobs,
      coalesce(sum(CASE WHEN kind = 'check' THEN amount ELSE 0 END), 0) AS checks FROM charges`);
  return row!;
}

/** Batches, checks and URLs that are neither at their end nor have a reason why not. */
async function unexplained(ledger: Database): Promise<string[]> {
  const batches = await ledger.all(sql<{ id: number; state: string; reason: string | null; n: number }>`
    SELECT id, state, reason, urls AS n FROM batches
    WHERE state NOT IN ('accepted', 'refused') OR (state = 'accepted' AND settled_at IS NULL)`);
  const checks = await ledger.all(sql<{ id: number; state: string; reason: string | null }>`
    SELECT id, state, reason FROM checks WHERE state NOT IN ('done', 'refused')`);
  const urls = await ledger.all(sql<{ state: string; n: number; example: string }>`
    SELECT state, count(*) AS n, min(url) AS example FROM urls
    WHERE NOT (state = 'completed' OR (state = 'quarantined' AND reason IS NOT NULL)) GROUP BY state`);
  return [
    ...batches.map(({ id, state, reason, n }) => `batch ${id} (${n} URLs) is left ${state}: ${reason}`),
    ...checks.map(({ id, state, reason }) => `check ${id} is left ${state}: ${reason}`),
    ...urls.map(({ state, n, example }) => `${n} URLs are left ${state}, for example ${example}`),
  ];
}

async function statesOf(ledger: Database) {
  const rows = await ledger.all(sql<{ url: string; state: string }>`SELECT url, state FROM urls`);
  return new Map(rows.map(({ url, state }) => [url, state]));
}
