import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Ledger } from '../open-ledger.ts';

/** A message that waits for delivery. */
export interface QueuedMessage {
  readonly id: number;
  readonly channel: string;
  readonly message: string;
  readonly created_at: number;
  readonly attempts: number;
}

export interface NewMessage {
  /** Queued once for each channel. */
  readonly event: string;
  readonly channel: string;
  readonly message: string;
  readonly at: number;
}

/** A worker that claimed a message and died leaves it to another after this time; longer than any delivery takes. */
const LEASE_MS = 120_000;

export async function enqueue(tx: Queryable, { event, channel, message, at }: NewMessage): Promise<void> {
  await tx.run(sql`
    INSERT INTO notice_queue (event_key, channel, message, created_at, not_before)
    VALUES (${event}, ${channel}, ${message}, ${at}, ${at}) ON CONFLICT (event_key, channel) DO NOTHING`);
}

/**
 * Takes the next message that is due, so that no other worker delivers it; null when none is. A channel gets its messages
 * in order: the end of an outage never comes before its beginning. Uses notice_queue_waiting and notice_queue_channel.
 */
export async function claimMessage({ db, now }: Ledger): Promise<QueuedMessage | null> {
  const at = now();
  for (;;) {
    const row = await db.get(sql<QueuedMessage & { not_before: number }>`
      SELECT id, channel, message, created_at, attempts, not_before FROM notice_queue AS q
      WHERE ended_at IS NULL AND not_before <= ${at} AND NOT EXISTS (
        SELECT 1 FROM notice_queue AS e WHERE e.channel = q.channel AND e.ended_at IS NULL AND e.id < q.id)
      ORDER BY not_before, id LIMIT 1`);
    if (row === undefined) return null;
    const { changes } = await db.run(sql`
      UPDATE notice_queue SET not_before = ${at + LEASE_MS}, attempts = attempts + 1
      WHERE id = ${row.id} AND not_before = ${row.not_before} AND ended_at IS NULL`);
    if (changes === 1) return { ...row, attempts: row.attempts + 1 };
  }
}

/** Delivered, or given up with the reason. */
export async function endMessage({ db, now }: Ledger, id: number, failure: string | null): Promise<void> {
  await db.run(sql`UPDATE notice_queue SET ended_at = ${now()}, failure = ${failure} WHERE id = ${id}`);
}

export async function postponeMessage({ db }: Ledger, id: number, until: number, failure: string): Promise<void> {
  await db.run(sql`UPDATE notice_queue SET not_before = ${until}, failure = ${failure} WHERE id = ${id}`);
}

/** A channel that failed the last time. */
export interface Undelivered {
  readonly channel: string;
  readonly failure: string;
  readonly since: number;
}

/** The channels whose next message waits after a failure, or whose last one was refused or given up. */
export async function listUndelivered({ db }: Ledger, channels: readonly string[]): Promise<Undelivered[]> {
  const found: Undelivered[] = [];
  for (const channel of channels) {
    const row = await db.get(sql<{ failure: string | null; created_at: number }>`
      SELECT failure, created_at FROM notice_queue WHERE channel = ${channel} AND attempts > 0
      ORDER BY ended_at IS NOT NULL, ended_at DESC, id LIMIT 1`);
    if (row?.failure != null) found.push({ channel, failure: row.failure, since: row.created_at });
  }
  return found;
}

/** Uses notice_queue_ended. */
export async function deleteMessagesEndedBefore({ db }: Ledger, before: number): Promise<number> {
  return (await db.run(sql`DELETE FROM notice_queue WHERE ended_at IS NOT NULL AND ended_at < ${before}`)).changes;
}
