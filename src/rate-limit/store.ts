import type { Queryable } from '../database/database.ts';
import { dialectal, join, raw, sql } from '../database/sql.ts';
import type { Lane, RateLimits } from './limits.ts';
import { type InFlight, KIND, type Kind, type Rule } from './rules.ts';

export interface KeyRow {
  /** The count of all answered requests and of the submissions among them: the numbers of the last ones. */
  readonly requests: number;
  readonly submissions: number;
  readonly last_at: number;
  readonly submission_closed: number;
  readonly poll_closed: number;
  readonly check_closed: number;
  readonly external_usage: string;
}

/** What a transaction on one key's rows needs. */
export interface Scope {
  readonly tx: Queryable;
  readonly key: string;
  readonly limits: RateLimits;
  readonly time: number;
  readonly requestTimeoutMs: number;
}

/** The key's row, created when missing, locked until the transaction ends. */
export async function lockKey(scope: Scope): Promise<KeyRow> {
  const { tx, key, time, requestTimeoutMs } = scope;
  const select = sql<KeyRow>`
    SELECT requests, submissions, last_at, submission_closed, poll_closed, check_closed, external_usage
    FROM rate_limit_keys WHERE account = ${key} ${dialectal(raw(''), raw('FOR UPDATE'))}`;
  const found = await tx.get(select);
  if (found === undefined) {
    await tx.run(sql`INSERT INTO rate_limit_keys (account) VALUES (${key}) ON CONFLICT DO NOTHING`);
  }
  const row = found ?? (await tx.one(select));
  return row.last_at > time + requestTimeoutMs ? correctClock(scope, row) : row;
}

/** The clock was ahead and was corrected: clamp times in the future to now. */
async function correctClock({ tx, key, time }: Scope, row: KeyRow): Promise<KeyRow> {
  await tx.run(sql`UPDATE rate_limit_requests SET at = ${time} WHERE account = ${key} AND at > ${time}`);
  await tx.run(
    sql`UPDATE rate_limit_in_flight SET started_at = ${time} WHERE account = ${key} AND started_at > ${time}`,
  );
  await tx.run(sql`UPDATE rate_limit_keys SET last_at = ${time} WHERE account = ${key}`);
  return { ...row, last_at: time };
}

export async function begin({ tx, key, time }: Scope, lane: Lane): Promise<number> {
  const { id } = await tx.one(sql<{ id: number }>`
    INSERT INTO rate_limit_in_flight (account, submission, started_at)
    VALUES (${key}, ${lane === 'submission' ? 1 : 0}, ${time}) RETURNING id`);
  return id;
}

/** Returns whether the request was still in flight. */
export async function complete({ tx, key }: Scope, id: number): Promise<boolean> {
  const removed = await tx.run(sql`DELETE FROM rate_limit_in_flight WHERE id = ${id} AND account = ${key}`);
  return removed.changes > 0;
}

export async function getInFlight({ tx, key }: Scope): Promise<InFlight> {
  return tx.one(sql<InFlight>`
    SELECT count(*) AS requests, coalesce(sum(submission), 0) AS submissions
    FROM rate_limit_in_flight WHERE account = ${key}`);
}

/** Requests of dead processes count as answered from now on. Uses rate_limit_in_flight_by_account. */
export async function expireInFlight(scope: Scope, row: KeyRow): Promise<KeyRow> {
  const { tx, key, time, requestTimeoutMs } = scope;
  const expired = await tx.all(sql<{ id: number; submission: number }>`
    SELECT id, submission FROM rate_limit_in_flight WHERE account = ${key} AND started_at <= ${time - requestTimeoutMs}`);
  let now = row;
  for (const { id, submission } of expired) {
    if (await complete(scope, id)) now = await record(scope, now, submission === 1);
  }
  return now;
}

/** Records an answered request under the next number and deletes those that no window can need again. */
export async function record({ tx, key, limits, time }: Scope, row: KeyRow, submission: boolean): Promise<KeyRow> {
  const requests = row.requests + 1;
  const submissions = row.submissions + (submission ? 1 : 0);
  const at = Math.max(row.last_at, time);
  await tx.run(sql`
    UPDATE rate_limit_keys SET requests = ${requests}, submissions = ${submissions}, last_at = ${at} WHERE account = ${key}`);
  const most = Math.max(limits.day.limit, limits.hour.limit, limits.minute.limit);
  const numbers = [
    { kind: KIND.all, number: requests, kept: most },
    submission
      ? { kind: KIND.submissions, number: submissions, kept: limits.submissions.limit }
      : { kind: KIND.others, number: requests - submissions, kept: most },
  ];
  for (const { kind, number, kept } of numbers) {
    await tx.run(sql`
      INSERT INTO rate_limit_requests (account, kind, number, at) VALUES (${key}, ${kind}, ${number}, ${at})`);
    await tx.run(sql`
      DELETE FROM rate_limit_requests WHERE account = ${key} AND kind = ${kind} AND number <= ${number - kept}`);
  }
  return { ...row, requests, submissions, last_at: at };
}

/** When the requests that the rules wait for were answered, by rule. Uses the primary key: one lookup per rule. */
export async function listTimes({ tx, key }: Scope, rules: readonly Rule[]): Promise<ReadonlyMap<Rule, number>> {
  const wanted = rules.filter(({ room, number }) => room > 0 && number > 0);
  if (wanted.length === 0) return new Map();
  const conditions = wanted.map(
    ({ kind, number }) => sql`(account = ${key} AND kind = ${kind} AND number = ${number})`,
  );
  const rows = await tx.all(sql<{ kind: number; number: number; at: number }>`
    SELECT kind, number, at FROM rate_limit_requests WHERE ${join(conditions, ' OR ')}`);
  return new Map(
    wanted.flatMap((rule) => {
      const row = rows.find(({ kind, number }) => kind === rule.kind && number === rule.number);
      return row === undefined ? [] : [[rule, row.at]];
    }),
  );
}

/** Counts our own answered requests since then, at most `enough`. One lookup mostly shows that there are as many. */
export async function countSince(
  { tx, key }: Scope,
  kind: Kind,
  last: number,
  enough: number,
  since: number,
): Promise<number> {
  if (enough === 0) return 0;
  const edge = await tx.get(sql<{ at: number }>`
    SELECT at FROM rate_limit_requests
    WHERE account = ${key} AND kind = ${kind} AND number = ${last - enough + 1}`);
  if (edge !== undefined && edge.at > since) return enough;
  const counted = await tx.one(sql<{ n: number }>`
    SELECT count(*) AS n FROM rate_limit_requests
    WHERE account = ${key} AND kind = ${kind} AND number > ${last - enough} AND at > ${since}`);
  return counted.n;
}

/** Denies these lanes until then. */
export async function closeLanes({ tx, key }: Scope, lanes: readonly Lane[], until: number): Promise<void> {
  for (const lane of lanes) {
    const column = raw(`${lane}_closed`);
    await tx.run(sql`UPDATE rate_limit_keys SET ${column} = ${until} WHERE account = ${key} AND ${column} < ${until}`);
  }
}

export async function writeExternalUsage({ tx, key }: Scope, usage: string): Promise<void> {
  await tx.run(sql`UPDATE rate_limit_keys SET external_usage = ${usage} WHERE account = ${key}`);
}
