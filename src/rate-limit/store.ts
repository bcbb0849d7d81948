import type { Queryable } from '../database/database.ts';
import { dialectal, join, raw, sql } from '../database/sql.ts';
import type { Lane, RateLimits } from './limits.ts';
import { type InFlight, KIND, type Kind, type Rule } from './rules.ts';

export interface KeyRow {
  /** Answered requests ever, and the submissions among them: the numbers of the last ones. */
  readonly requests: number;
  readonly submissions: number;
  readonly last_at: number;
  readonly submission_closed: number;
  readonly poll_closed: number;
  readonly check_closed: number;
  readonly others: string;
}

/** What a transaction on one key's rows works with. */
export interface Scope {
  readonly tx: Queryable;
  readonly key: string;
  readonly limits: RateLimits;
  readonly time: number;
  readonly requestTimeoutMs: number;
}

/** The key's row, locked until the transaction ends; made when it is missing. */
export async function lockKey(scope: Scope): Promise<KeyRow> {
  const { tx, key, time, requestTimeoutMs } = scope;
  const select = sql<KeyRow>`
    SELECT requests, submissions, last_at, submission_closed, poll_closed, check_closed, others
    FROM budget_keys WHERE budget = ${key} ${dialectal(raw(''), raw('FOR UPDATE'))}`;
  let row = await tx.get(select);
  if (row === undefined) {
    await tx.run(sql`INSERT INTO budget_keys (budget) VALUES (${key}) ON CONFLICT DO NOTHING`);
    row = (await tx.get(select))!;
  }
  return row.last_at > time + requestTimeoutMs ? healClock(scope, row) : row;
}

/** The clock was ahead and has been set right: what lies in the future happened now, at the latest. */
async function healClock({ tx, key, time }: Scope, row: KeyRow): Promise<KeyRow> {
  await tx.run(sql`UPDATE budget_requests SET at = ${time} WHERE budget = ${key} AND at > ${time}`);
  await tx.run(sql`UPDATE budget_flights SET since = ${time} WHERE budget = ${key} AND since > ${time}`);
  await tx.run(sql`UPDATE budget_keys SET last_at = ${time} WHERE budget = ${key}`);
  return { ...row, last_at: time };
}

export async function begin({ tx, key, time }: Scope, lane: Lane): Promise<number> {
  const flight = await tx.get(sql<{ id: number }>`
    INSERT INTO budget_flights (budget, submission, since)
    VALUES (${key}, ${lane === 'submission' ? 1 : 0}, ${time}) RETURNING id`);
  return flight!.id;
}

/** Whether the flight was still under way. */
export async function complete({ tx, key }: Scope, id: number): Promise<boolean> {
  const landed = await tx.run(sql`DELETE FROM budget_flights WHERE id = ${id} AND budget = ${key}`);
  return landed.changes > 0;
}

export async function getInFlight({ tx, key }: Scope): Promise<InFlight> {
  const inFlight = await tx.get(sql<InFlight>`
    SELECT count(*) AS requests, coalesce(sum(submission), 0) AS submissions
    FROM budget_flights WHERE budget = ${key}`);
  return inFlight!;
}

/** Requests of dead processes count as answered from now on. Uses budget_flights_by_budget. */
export async function expireInFlight(scope: Scope, row: KeyRow): Promise<KeyRow> {
  const { tx, key, time, requestTimeoutMs } = scope;
  const lost = await tx.all(sql<{ id: number; submission: number }>`
    SELECT id, submission FROM budget_flights WHERE budget = ${key} AND since <= ${time - requestTimeoutMs}`);
  let now = row;
  for (const { id, submission } of lost) {
    if (await complete(scope, id)) now = await record(scope, now, submission === 1);
  }
  return now;
}

/** Writes an answered request down under the next number, and forgets those that no window can need again. */
export async function record({ tx, key, limits, time }: Scope, row: KeyRow, submission: boolean): Promise<KeyRow> {
  const requests = row.requests + 1;
  const submissions = row.submissions + (submission ? 1 : 0);
  const at = Math.max(row.last_at, time);
  await tx.run(sql`
    UPDATE budget_keys SET requests = ${requests}, submissions = ${submissions}, last_at = ${at} WHERE budget = ${key}`);
  const most = Math.max(limits.day.limit, limits.hour.limit, limits.minute.limit);
  const numbers = [
    { kind: KIND.all, number: requests, kept: most },
    submission
      ? { kind: KIND.submissions, number: submissions, kept: limits.submissions.limit }
      : { kind: KIND.others, number: requests - submissions, kept: most },
  ];
  for (const { kind, number, kept } of numbers) {
    await tx.run(sql`
      INSERT INTO budget_requests (budget, kind, number, at) VALUES (${key}, ${kind}, ${number}, ${at})`);
    await tx.run(sql`
      DELETE FROM budget_requests WHERE budget = ${key} AND kind = ${kind} AND number <= ${number - kept}`);
  }
  return { ...row, requests, submissions, last_at: at };
}

/** When the requests that the rules wait for were answered, by rule. Uses the primary key: one look-up a rule. */
export async function listTimes({ tx, key }: Scope, rules: readonly Rule[]): Promise<ReadonlyMap<Rule, number>> {
  const wanted = rules.filter(({ room, number }) => room > 0 && number > 0);
  if (wanted.length === 0) return new Map();
  const conditions = wanted.map(({ kind, number }) => sql`(budget = ${key} AND kind = ${kind} AND number = ${number})`);
  const rows = await tx.all(sql<{ kind: number; number: number; at: number }>`
    SELECT kind, number, at FROM budget_requests WHERE ${join(conditions, ' OR ')}`);
  return new Map(
    wanted.flatMap((rule) => {
      const row = rows.find(({ kind, number }) => kind === rule.kind && number === rule.number);
      return row === undefined ? [] : [[rule, row.at]];
    }),
  );
}

/** Our own answered requests since then; counts no further than `enough`, which one look-up mostly proves. */
export async function countSince(
  { tx, key }: Scope,
  kind: Kind,
  last: number,
  enough: number,
  since: number,
): Promise<number> {
  if (enough === 0) return 0;
  const edge = await tx.get(sql<{ at: number }>`
    SELECT at FROM budget_requests
    WHERE budget = ${key} AND kind = ${kind} AND number = ${last - enough + 1}`);
  if (edge !== undefined && edge.at > since) return enough;
  const counted = await tx.get(sql<{ n: number }>`
    SELECT count(*) AS n FROM budget_requests
    WHERE budget = ${key} AND kind = ${kind} AND number > ${last - enough} AND at > ${since}`);
  return counted!.n;
}

/** Nothing of these lanes goes before then. */
export async function closeLanes({ tx, key }: Scope, lanes: readonly Lane[], until: number): Promise<void> {
  for (const lane of lanes) {
    const column = raw(`${lane}_closed`);
    await tx.run(sql`UPDATE budget_keys SET ${column} = ${until} WHERE budget = ${key} AND ${column} < ${until}`);
  }
}

export async function writeExternalUsage({ tx, key }: Scope, others: string): Promise<void> {
  await tx.run(sql`UPDATE budget_keys SET others = ${others} WHERE budget = ${key}`);
}
