import { setTimeout as sleep } from 'node:timers/promises';
import { type Micros, negateMicros, sumMicros, timesMicros } from '../../contract/money.ts';
import { type Database, DatabaseUnavailableError } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { lockAccountOf } from '../accounts/account.ts';
import { credit } from '../accounts/entries.ts';
import type { Finding } from './provider.ts';

/** How long storing the result of a check is retried while the database is unavailable. */
export const SETTLE_MS = 5_000;
const RETRY_MS = 100;

/** Repeats a write that changes nothing the second time. Throws the last DatabaseUnavailableError when time is up. */
export async function untilStored<T>(work: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + SETTLE_MS; ; await sleep(RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || performance.now() >= end) throw error;
    }
  }
}

interface Charged {
  readonly charged: Micros;
  readonly charge_id: number;
}

/**
 * Gives the charge of a check back and frees its key (spec 4.8 rule 3). The first caller does it; a second call
 * finds the check no longer executing and does nothing, and the entry itself is unique per charge.
 */
export async function restore(db: Database, id: string, now: number): Promise<boolean> {
  return db.tx(async (tx) => {
    const account = await lockAccountOf(tx, { check: id });
    const row = await tx.get(sql<Charged>`
      UPDATE index_checks SET status = 'restored', idempotency_key = NULL, finished_at = ${now}
      WHERE id = ${id} AND status = 'executing' RETURNING charged, charge_id`);
    if (row === undefined || account === undefined) return false;
    const { charged: amount, charge_id: reverses } = row;
    await credit(tx, account, { kind: 'restore', amount, subject: id, reverses }, now);
    return true;
  });
}

/** What is kept of the charge of a check. */
export interface Kept {
  readonly charged: Micros;
  readonly finishedAt: number;
}

/**
 * Writes the result of a check down and gives the price of URLs without an answer back, in one transaction. Returns
 * null when the charge was restored before, because the lease had ended. The second call returns what the first wrote.
 */
export async function finish(
  db: Database,
  id: string,
  findings: readonly Finding[],
  unanswered: number,
  now: number,
): Promise<Kept | null> {
  return db.tx(async (tx) => {
    const account = unanswered === 0 ? undefined : await lockAccountOf(tx, { check: id });
    const row = await tx.get(sql<Charged & { url_count: number; price: Micros }>`
      UPDATE index_checks SET status = 'done', results = ${JSON.stringify(findings)},
        found_count = ${findings.filter(({ found }) => found === true).length}, finished_at = ${now}
      WHERE id = ${id} AND status = 'executing' RETURNING charged, charge_id, url_count, price`);
    if (row === undefined) {
      const done = await tx.get(sql<{ charged: Micros; finished_at: number }>`
        SELECT charged, finished_at FROM index_checks WHERE id = ${id} AND status = 'done'`);
      return done === undefined ? null : { charged: done.charged, finishedAt: done.finished_at };
    }
    if (account === undefined) return { charged: row.charged, finishedAt: now };
    const amount = timesMicros(row.price, unanswered);
    const kept = sumMicros(row.charged, negateMicros(amount));
    await credit(tx, account, { kind: 'restore', amount, subject: id, reverses: row.charge_id }, now);
    const { charged } = await tx.one(sql<{ charged: Micros }>`
      UPDATE index_checks SET charged = ${kept} WHERE id = ${id} RETURNING charged`);
    return { charged, finishedAt: now };
  });
}

/** Restores what a crashed process left behind: every check whose lease has ended. Uses index_checks_running. */
export async function restoreExpired(db: Database, now: number): Promise<number> {
  const expired = await db.all(sql<{ id: string }>`
    SELECT id FROM index_checks WHERE status = 'executing' AND lease_until <= ${now} ORDER BY lease_until LIMIT 100`);
  let restored = 0;
  for (const { id } of expired) if (await restore(db, id, now)) restored++;
  return restored;
}
