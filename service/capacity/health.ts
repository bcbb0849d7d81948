import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';

/** How long a result of the probe is cached, in milliseconds. */
const PROBE_MS = 1_000;
/** A database that takes longer cannot accept a submission in reasonable time. */
const PROBE_TIMEOUT_MS = 2_000;
const QUEUE_MS = 5_000;
/** A worker renews its heartbeat every five seconds; one that is silent for longer is gone. */
const WORKER_SILENT_MS = 30_000;

export interface ProcessingHealth {
  /** none: no worker of any process is ready, so what is accepted waits. */
  readonly workers: 'ready' | 'none';
  /** Age of the oldest accepted submission that was not handed to a worker yet; null when there is none. */
  readonly oldestWaitingSeconds: number | null;
}

export interface Health {
  /** Whether the storage takes writes, so that a submission could be accepted now. */
  isWritable(): Promise<boolean>;
  getProcessing(): Promise<ProcessingHealth>;
  /** A worker of this process is ready. */
  reportWorker(): Promise<void>;
}

/**
 * The health of the service. A read does not detect a full disk, a locked file or a standby, so the probe writes to the
 * database. However many requests ask for it, there is at most one probe a second.
 */
export function watchHealth(db: Database, now: () => number): Health {
  const write = (name: string, at: number) =>
    db.run(sql`
      INSERT INTO service_state (name, at) VALUES (${name}, ${at}) ON CONFLICT (name) DO UPDATE SET at = excluded.at`);

  const isWritable = remember(PROBE_MS, async () => {
    const probe = write('probe', now()).then(
      () => true,
      () => false,
    );
    return Promise.race([probe, new Promise<false>((resolve) => setTimeout(resolve, PROBE_TIMEOUT_MS, false).unref())]);
  });

  const getProcessing = remember(QUEUE_MS, async (): Promise<ProcessingHealth> => {
    const worker = await db.get(sql<{ at: number }>`SELECT at FROM service_state WHERE name = 'worker'`);
    const waiting = await db.get(sql<{ created_at: number }>`
      SELECT created_at FROM submissions WHERE dispatched_at IS NULL ORDER BY created_at LIMIT 1`);
    return {
      workers: worker !== undefined && now() - worker.at < WORKER_SILENT_MS ? 'ready' : 'none',
      oldestWaitingSeconds:
        waiting === undefined ? null : Math.max(0, Math.floor((now() - waiting.created_at) / 1_000)),
    };
  });

  return {
    isWritable,
    getProcessing,
    reportWorker: async () => void (await write('worker', now())),
  };
}

/** Caches a result for a while; concurrent callers share one pending call. */
function remember<T>(forMs: number, ask: () => Promise<T>): () => Promise<T> {
  let until = 0;
  let answer: Promise<T> | undefined;
  return () => {
    if (answer !== undefined && performance.now() < until) return answer;
    until = Number.POSITIVE_INFINITY;
    const asked = ask();
    answer = asked;
    const done = () => {
      until = performance.now() + forMs;
    };
    asked.then(done, done);
    return asked;
  };
}
