import { recordOutcomes } from '../../../service/processing/transitions.ts';
import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import { FAILS_ONCE } from './site.ts';

/** The processor fails such a page in every other job, beginning with the first: so failures in a row begin again. */
export async function failOnce(db: Database, reference: string, now: number): Promise<void> {
  const rows = await db.all(sql<{ position: number; jobs: number }>`
    SELECT u.position, (SELECT count(*) FROM submission_urls AS e WHERE e.url = u.url AND e.submission_id <= u.submission_id) AS jobs
    FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
    WHERE s.reference = ${reference} AND u.status IS NULL AND u.url LIKE ${`%${FAILS_ONCE}`}`);
  const failing = rows.filter(({ jobs }) => Number(jobs) % 2 === 1);
  if (failing.length === 0) return;
  const outcomes = failing.map(
    ({ position }) => ({ position, status: 'failed', reason: 'simulated failure' }) as const,
  );
  await recordOutcomes(db, reference, outcomes, now);
}
