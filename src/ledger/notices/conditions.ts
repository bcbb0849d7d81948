import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Ledger } from '../open-ledger.ts';
import { enqueue } from './queue.ts';

/** Something that is wrong now. */
export interface Condition<Details = unknown> {
  /** What is wrong with what: equal for as long as it lasts. */
  readonly key: string;
  /** Null: since it is first seen. */
  readonly since: number | null;
  /** How much of it, where that can grow; else 0. */
  readonly level: number;
  /** For its messages; stored as JSON. */
  readonly details: Details;
}

export interface Transition<Details = unknown> {
  readonly change: 'began' | 'grew' | 'ended';
  readonly key: string;
  readonly since: number;
  readonly details: Details;
}

/** A condition that grows is reported again after this time. */
const GROWTH_MS = 86_400_000;

interface Row {
  readonly key: string;
  readonly since: number;
  readonly level: number;
  readonly noticed_at: number;
  readonly details: string;
}

/**
 * Records what is wrong now and queues the messages of what began, grew and ended since the last call, in one transaction:
 * after a crash no transition is reported twice or lost, and of several workers one reports it.
 */
export async function recordConditions<Details>(
  { db, now }: Ledger,
  found: readonly Condition<Details>[],
  toMessages: (transition: Transition<Details>) => readonly { readonly channel: string; readonly message: string }[],
): Promise<void> {
  const at = now();
  await db.tx(async (tx) => {
    const known = new Map((await tx.all(sql<Row>`SELECT * FROM notice_conditions`)).map((row) => [row.key, row]));
    const queue = async (transition: Transition<Details>): Promise<void> => {
      const { key, change, since } = transition;
      const event = `${key} ${change} ${change === 'grew' ? at : since}`;
      for (const { channel, message } of toMessages(transition)) await enqueue(tx, { event, channel, message, at });
    };
    for (const { key, since: from, level, details } of found) {
      const row = known.get(key);
      const since = row?.since ?? from ?? at;
      const stored = JSON.stringify(details);
      if (row === undefined) {
        const { changes } = await tx.run(sql`
          INSERT INTO notice_conditions (key, since, level, noticed_at, details)
          VALUES (${key}, ${since}, ${level}, ${at}, ${stored}) ON CONFLICT (key) DO NOTHING`);
        if (changes === 1) await queue({ change: 'began', key, since, details });
      } else if (level > row.level && at - row.noticed_at >= GROWTH_MS) {
        if (await update(tx, row, level, at, stored)) await queue({ change: 'grew', key, since, details });
      } else if (level < row.level || stored !== row.details) {
        // Below the growth that is reported, only the figures are renewed.
        await update(tx, row, Math.min(level, row.level), row.noticed_at, stored);
      }
    }
    const present = new Set(found.map(({ key }) => key));
    for (const row of known.values()) {
      if (present.has(row.key)) continue;
      const { changes } = await tx.run(sql`
        DELETE FROM notice_conditions WHERE key = ${row.key} AND since = ${row.since}`);
      const details = JSON.parse(row.details) as Details;
      if (changes === 1) await queue({ change: 'ended', key: row.key, since: row.since, details });
    }
  });
}

/** False: another worker changed it first. */
async function update(tx: Queryable, row: Row, level: number, noticedAt: number, details: string): Promise<boolean> {
  const { changes } = await tx.run(sql`
    UPDATE notice_conditions SET level = ${level}, noticed_at = ${noticedAt}, details = ${details}
    WHERE key = ${row.key} AND level = ${row.level} AND noticed_at = ${row.noticed_at}`);
  return changes === 1;
}

/** What is wrong now, oldest first. */
export async function listConditions<Details>({ db }: Ledger): Promise<Transition<Details>[]> {
  const rows = await db.all(sql<Row>`SELECT * FROM notice_conditions ORDER BY since, key`);
  return rows.map(({ key, since, details }) => ({
    change: 'began',
    key,
    since,
    details: JSON.parse(details) as Details,
  }));
}
