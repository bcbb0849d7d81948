import { type Query, sql } from '../../src/database/sql.ts';

/**
 * Rows that one statement reads or changes: a few milliseconds of SQLite, which holds the event loop. What is longer is
 * done in parts, with other work between them.
 */
export const PART = {
  /** URLs with their text, read or changed. */
  urls: 500,
  /** Small rows, or those of an index: entries, index-checks, submissions. */
  rows: 2_000,
  /** Submissions in each of which one URL is looked up. */
  lookUps: 250,
} as const;

/** The URLs of a submission in parts: each as the condition of a statement. */
export const urlParts = ({ id, url_count: count }: { readonly id: number; readonly url_count: number }): Query[] =>
  Array.from(
    { length: Math.ceil(count / PART.urls) },
    (_, index) =>
      sql`submission_id = ${id} AND position >= ${index * PART.urls} AND position < ${(index + 1) * PART.urls}`,
  );
