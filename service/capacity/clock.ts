import type { Database, Queryable } from '../../src/database/database.ts';
import { dialectal, type Query, raw, sql } from '../../src/database/sql.ts';

/** What the clock may differ from the time that passed before it is a jump. */
const TOLERANCE_MS = 60_000;
/** A jump counts once the service has run for this long: until then somebody may correct the clock. */
const DOUBT_MS = 24 * 60 * 60 * 1_000;

/** A moment of the database's clock, after its jumps were noted. What is deleted for its age is compared with this alone. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly at: number;
  /** How long the service has run in all, in milliseconds: what a deadline is measured with. No clock changes it. */
  readonly ran: number;
  /** `at` without what the clock skipped within the last day of running: what is old by this is old even if the clock is wrong. */
  readonly believed: number;
}

/**
 * The one clock of the service. It is the database's, so all processes and what they write down agree: on Postgres the
 * server's, whatever the clock of the host says, on SQLite that of the only host.
 */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Notes how long the service ran since the last look, and what the clock skipped meanwhile. */
  look(): Promise<Moment>;
}

export interface ClockSources {
  /** The clock of this host. */
  readonly wall?: () => number;
  /** Milliseconds that passed, by a clock that nobody sets. */
  readonly steady?: () => number;
  /** Reads the clock of Postgres. */
  readonly read?: (db: Queryable) => Promise<number>;
}

export async function openClock(
  db: Database,
  { wall = Date.now, steady = () => performance.now(), read = readServerTime }: ClockSources = {},
): Promise<Clock> {
  const isOfHost = db.dialect === 'sqlite';
  let ahead = 0;
  let looked: number | null = null;

  const readNow = async (queryable: Queryable): Promise<number> => {
    if (isOfHost) return wall();
    const at = await read(queryable);
    ahead = at - steady();
    return at;
  };

  await readNow(db);
  return {
    now: () => (isOfHost ? wall() : Math.round(ahead + steady())),
    async look() {
      const { moment, began } = await db.tx(async (tx) => {
        const last = await lockClock(tx);
        const began = steady();
        const at = await readNow(tx);
        return { began, moment: await note(tx, last, at, looked === null ? 0 : began - looked) };
      });
      looked = began;
      return moment;
    },
  };
}

/**
 * How long the service has run, as a value of a statement. Between two looks the clock says how much to add; one that
 * jumped adds a minute at most, so that no deadline comes early.
 */
export const ranAt = (now: number): Query =>
  sql`(SELECT ran + CASE WHEN ${now} - at BETWEEN 0 AND ${TOLERANCE_MS} THEN ${now} - at ELSE ${TOLERANCE_MS} END FROM clock)`;

async function readServerTime(db: Queryable): Promise<number> {
  const { at } = await db.one(sql<{ at: number }>`
    SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS at`);
  return at;
}

interface LastLook {
  /** Null before the first one. */
  readonly at: number | null;
  readonly ran: number;
}

const lockClock = (tx: Queryable): Promise<LastLook> =>
  tx.one(sql<LastLook>`SELECT at, ran FROM clock ${dialectal(raw(''), raw('FOR UPDATE'))}`);

/** `elapsed`: how long this process has waited since its last look; 0 for its first, so that all that passed is a jump. */
async function note(tx: Queryable, last: LastLook, at: number, elapsed: number): Promise<Moment> {
  const passed = last.at === null ? 0 : at - last.at;
  // Another process may have looked in between: then less has passed than this one waited.
  const difference = passed < 0 ? passed : Math.max(0, passed - elapsed);
  const jump = Math.abs(difference) > TOLERANCE_MS ? Math.round(difference) : 0;
  const ran = last.ran + Math.max(0, passed - jump);
  await tx.run(sql`UPDATE clock SET at = ${at}, ran = ${ran}`);
  if (jump !== 0) {
    await tx.run(sql`DELETE FROM clock_jumps WHERE ran <= ${ran - DOUBT_MS}`);
    await tx.run(sql`INSERT INTO clock_jumps (ms, ran) VALUES (${jump}, ${ran})`);
  }
  const { skipped } = await tx.one(sql<{ skipped: number }>`
    SELECT coalesce(sum(ms), 0) AS skipped FROM clock_jumps WHERE ran > ${ran - DOUBT_MS}`);
  return { at, ran, believed: at - Math.max(0, skipped) };
}
