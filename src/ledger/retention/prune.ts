import { setTimeout as sleep } from 'node:timers/promises';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { Ledger } from '../open-ledger.ts';
import {
  countDetails,
  DETAIL_TABLES,
  type Detail,
  type DetailKind,
  type DetailTable,
  deleteDetails,
  findFirstOwner,
  selectDetails,
} from './details.ts';

/** The age, in milliseconds, at which details are removed; null: never. */
export type RetentionPolicy = Readonly<Record<DetailKind, number | null>>;

export interface PruneOptions {
  /** Counts what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
  /** Keeps details before they are removed. What it has kept is durable when it resolves. */
  readonly archive?: (table: string, details: readonly Detail[]) => Promise<void>;
  readonly onProgress?: (pruned: Pruned) => void;
  /** Ends early between two pages. */
  readonly signal?: AbortSignal;
  /** Waits between two pages, in milliseconds. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Removed rows by table. */
export type Pruned = Readonly<Record<string, number>>;

const PAGE_OWNERS = 200;
/** Rows that one transaction removes: a hundredth of a second on SQLite, where writers take turns. */
const PAGE_ROWS = 1_000;

/**
 * Removes old details in short transactions. Between two it waits for as long as the last one took, so that it never has
 * more than half of the database. What was kept in the archive is removed after it; after a crash some of it may be
 * archived once more. Two processes may prune at once.
 */
export async function pruneLedger(
  ledger: Ledger,
  policy: RetentionPolicy,
  options: PruneOptions = {},
): Promise<Pruned> {
  const pruned: Record<string, number> = {};
  for (const table of DETAIL_TABLES) {
    const age = policy[table.kind];
    pruned[table.table] = 0;
    if (age === null) continue;
    for await (const rows of eachPage(ledger, table, ledger.now() - age, options)) {
      pruned[table.table] = (pruned[table.table] ?? 0) + rows;
      options.onProgress?.(pruned);
    }
  }
  return pruned;
}

/** Yields how many rows each page removed. */
async function* eachPage(
  ledger: Ledger,
  table: DetailTable,
  before: number,
  { dryRun = false, archive, signal, pause = sleep }: PruneOptions,
): AsyncGenerator<number> {
  const { db } = ledger;
  const first = await findFirstOwner(db, table);
  if (first === null) return;
  for (let after = first - 1; ; ) {
    const owners = await db.all(table.owners(after, before, PAGE_OWNERS));
    const over = owners.filter((owner) => owner.over === 1).map(({ id }) => id);
    if (dryRun && over.length > 0) yield (await db.one(countDetails(table, over))).rows;
    while (!dryRun && over.length > 0) {
      signal?.throwIfAborted();
      const began = performance.now();
      const details = await db.all(selectDetails(table, over, PAGE_ROWS));
      if (details.length > 0) {
        if (table.kind === 'index_checks') await noteRemovedChecks(ledger, before);
        await archive?.(table.table, details);
        yield (await db.run(deleteDetails(table, details))).changes;
      }
      await pause(performance.now() - began);
      if (details.length < PAGE_ROWS) break;
    }
    if (!dryRun && table.kind === 'index_checks' && over.length > 0) await db.run(clearBodies(over));
    const last = owners.at(-1);
    // Ids count up with the time: what was made later is not old either.
    if (last === undefined || owners.length < PAGE_OWNERS || last.made_at >= before) return;
    after = last.id;
    await pause(0);
  }
}

/** The bytes of a check are needed while it may be sent again. */
const clearBodies = (checks: readonly number[]) => sql`
  UPDATE checks SET body = '' WHERE body <> '' AND id IN (SELECT id FROM ${toRows(
    { id: 'bigint' },
    checks.map((id): Row => [id]),
  )} AS chosen)`;

const CHECKS_REMOVED = 'index_check_details_from';

/** Written before the first is removed: a report must not take a later check for the first one that found a URL. */
async function noteRemovedChecks({ db }: Ledger, before: number): Promise<void> {
  await db.run(sql`
    INSERT INTO ledger_settings (name, value) VALUES (${CHECKS_REMOVED}, ${String(before)})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
      WHERE CAST(ledger_settings.value AS BIGINT) < CAST(excluded.value AS BIGINT)`);
}

/** Since when the details of index-checks are whole; null when none were removed. */
export async function getCheckDetailsFrom({ db }: Ledger): Promise<number | null> {
  const row = await db.get(sql<{ value: string }>`SELECT value FROM ledger_settings WHERE name = ${CHECKS_REMOVED}`);
  return row === undefined ? null : Number(row.value);
}
