import type { Reader } from '../stores.ts';

/** A charge, or what was given back, as the service has booked it. Amounts of charges are negative. */
export interface Entry {
  readonly id: number;
  readonly kind: 'charge' | 'restore';
  readonly subject: string;
  readonly amount: number;
  readonly balance: number;
  readonly account: string;
}

export interface BookedCheck {
  readonly key: string | null;
  readonly urls: readonly string[];
  /** The whole charge was given back, and its key is free again: another check may have it. */
  readonly isRestored: boolean;
}

const JOINED = 'submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id';

/** What the service's database says. Times are those of its clock. */
export class ServiceData {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  #get<T>(text: string, ...values: (string | number)[]): T | undefined {
    return this.#db.prepare(text).get(...values) as T | undefined;
  }

  listEntriesSince(id: number): readonly Entry[] {
    return this.#db
      .prepare(
        `SELECT e.id, e.kind, e.subject, e.amount, e.balance_after AS balance, a.name AS account
         FROM entries AS e JOIN accounts AS a ON a.id = e.account_id
         WHERE e.id > ? AND e.kind IN ('charge', 'restore') ORDER BY e.id`,
      )
      .all(id) as unknown as Entry[];
  }

  /** Of a job; null: it is none. */
  readKey(reference: string): string | null {
    const row = this.#get<{ key: string }>(
      'SELECT idempotency_key AS key FROM submissions WHERE reference = ?',
      reference,
    );
    return row?.key ?? null;
  }

  listUrls(reference: string): readonly string[] {
    const rows = this.#db.prepare(`SELECT u.url FROM ${JOINED} WHERE s.reference = ?`).all(reference);
    return (rows as unknown as { readonly url: string }[]).map(({ url }) => url);
  }

  readCreated(reference: string): number {
    const row = this.#get<{ at: number }>('SELECT created_at AS at FROM submissions WHERE reference = ?', reference);
    return row?.at ?? 0;
  }

  /** When it failed a page of a job; null: it has not. */
  readFailure(reference: string, url: string): number | null {
    const row = this.#get<{ at: number }>(
      `SELECT coalesce(u.updated_at, s.finished_at, s.created_at) AS at FROM ${JOINED}
       WHERE s.reference = ? AND u.url = ? AND u.status = 'failed'`,
      ...[reference, url],
    );
    return row?.at ?? null;
  }

  /** Whether a job has failed as a whole. */
  isFailedJob(reference: string): boolean {
    return this.#get(`SELECT 1 FROM submissions WHERE reference = ? AND status = 'failed'`, reference) !== undefined;
  }

  /** The jobs that failed a page. */
  listFailures(url: string): readonly string[] {
    const rows = this.#db.prepare(`SELECT s.reference FROM ${JOINED} WHERE u.url = ? AND u.status = 'failed'`).all(url);
    return (rows as unknown as { readonly reference: string }[]).map(({ reference }) => reference);
  }

  /** When it completed a page, the first time first. */
  listCompletions(url: string): readonly number[] {
    const rows = this.#db
      .prepare(
        `SELECT coalesce(u.updated_at, s.finished_at) AS at FROM ${JOINED}
         WHERE u.url = ? AND coalesce(u.status, s.status) = 'completed' ORDER BY s.id`,
      )
      .all(url) as unknown as readonly { readonly at: number }[];
    return rows.map(({ at }) => at);
  }

  countCompleted(): number {
    const row = this.#get<{ n: number }>(
      `SELECT count(DISTINCT u.url) AS n FROM ${JOINED} WHERE coalesce(u.status, s.status) = 'completed'`,
    );
    return row!.n;
  }

  /** The jobs of a page that are open, and that have ended. */
  listJobs(url: string): { readonly open: readonly string[]; readonly ended: readonly string[] } {
    const rows = this.#db
      .prepare(`SELECT s.reference, s.status IN ('queued', 'processing') AS open FROM ${JOINED} WHERE u.url = ?`)
      .all(url) as unknown as { readonly reference: string; readonly open: number }[];
    const list = (open: number) => rows.filter((row) => row.open === open).map(({ reference }) => reference);
    return { open: list(1), ended: list(0) };
  }

  findCheck(id: string): BookedCheck | null {
    const row = this.#get<{ key: string | null; urls: string; status: string }>(
      'SELECT idempotency_key AS key, urls, status FROM index_checks WHERE id = ?',
      id,
    );
    if (row === undefined) return null;
    return { key: row.key, urls: JSON.parse(row.urls) as string[], isRestored: row.status === 'restored' };
  }

  /** How often index-checks have not found a page. */
  countNotFound(url: string): number {
    const rows = this.#db
      .prepare('SELECT urls, results FROM index_checks WHERE urls LIKE ?')
      .all(`%${JSON.stringify(url).slice(1, -1)}"%`) as unknown as { urls: string; results: string | null }[];
    return rows.filter(({ urls, results }) => {
      const findings = JSON.parse(results ?? '[]') as readonly { readonly found: boolean | null }[];
      return findings[(JSON.parse(urls) as string[]).indexOf(url)]?.found === false;
    }).length;
  }

  /** Whether an index-check has found a page. */
  wasFound(url: string, check: string): boolean {
    const row = this.#get<{ urls: string; results: string | null }>(
      'SELECT urls, results FROM index_checks WHERE id = ?',
      check,
    );
    const findings = JSON.parse(row?.results ?? '[]') as readonly { readonly found: boolean | null }[];
    return findings[(JSON.parse(row?.urls ?? '[]') as string[]).indexOf(url)]?.found === true;
  }
}
