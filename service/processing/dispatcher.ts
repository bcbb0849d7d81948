import type { ServiceLevel } from '../../contract/states.ts';
import type { Database } from '../../src/database/database.ts';
import { eachText, sql } from '../../src/database/sql.ts';

/** Starts the processing of one submission; starting it again changes nothing. Throws when Temporal cannot be reached. */
export type StartProcessing = (reference: string, service: ServiceLevel) => Promise<void>;

/** At a time: few enough that fast submissions which arrive meanwhile are next. */
const BATCH = 20;

interface Waiting {
  readonly reference: string;
  readonly service: ServiceLevel;
}

/** Accepted submissions that were never started, fast before standard, oldest first. Uses submissions_waiting. */
const waiting = sql<Waiting>`
  SELECT reference, service FROM submissions WHERE dispatched_at IS NULL ORDER BY service, id LIMIT ${BATCH}`;

interface Unfinished extends Waiting {
  readonly id: number;
}

/** Submissions behind an id that were started and have not ended. Uses submissions_unfinished. */
const unfinished = (after: number) => sql<Unfinished>`
  SELECT id, reference, service FROM submissions
  WHERE finished_at IS NULL AND dispatched_at IS NOT NULL AND id > ${after} ORDER BY id LIMIT ${BATCH}`;

export interface Dispatcher {
  /** A submission was accepted: start it now. Never throws, never blocks. */
  wake(): void;
  close(): Promise<void>;
}

/**
 * Hands accepted submissions to Temporal. It looks when woken and every `sweepMs`, so that what was accepted while
 * Temporal was unreachable, or by a process that crashed, is started too; the table is the queue and nothing is only in
 * memory. Once, behind what is new, it also hands over again what was started before and has not ended: should Temporal
 * have lost its state, the work continues where the rows say; where a workflow is alive, nothing happens.
 */
export function runDispatcher(
  db: Database,
  start: StartProcessing,
  { sweepMs, now, onError }: { sweepMs: number; now: () => number; onError: (error: unknown) => void },
): Dispatcher {
  let closed = false;
  let running: Promise<void> | undefined;
  let again = false;
  /** What has not ended is handed over again from here on; null: all of it was. */
  let startedAgain: number | null = 0;

  const startAll = (batch: readonly Waiting[]) =>
    Promise.all(batch.map(({ reference, service }) => start(reference, service)));

  async function dispatchAll(): Promise<void> {
    await dispatchNew();
    while (startedAgain !== null && !closed) {
      const batch: readonly Unfinished[] = await db.all(unfinished(startedAgain));
      await startAll(batch);
      startedAgain = batch.at(-1)?.id ?? null;
      await dispatchNew();
    }
  }

  async function dispatchNew(): Promise<void> {
    for (let more = true; more && !closed; ) {
      const batch = await db.all(waiting);
      await startAll(batch);
      if (batch.length > 0) {
        await db.run(sql`
          UPDATE submissions SET dispatched_at = ${now()}
          WHERE reference IN (SELECT value FROM ${eachText(batch.map(({ reference }) => reference))} AS e)`);
      }
      more = batch.length === BATCH;
    }
  }

  function look(): void {
    again = true;
    if (closed || running !== undefined) return;
    running = (async () => {
      while (again && !closed) {
        again = false;
        await dispatchAll().catch(onError);
      }
    })().finally(() => {
      running = undefined;
    });
  }

  const timer = setInterval(look, sweepMs).unref();
  look();
  return {
    wake: look,
    async close() {
      closed = true;
      clearInterval(timer);
      await running;
    },
  };
}
