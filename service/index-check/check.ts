import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CURRENCY, type Micros, timesMicros } from '../../contract/money.ts';
import type { IndexCheckResult } from '../../contract/responses.ts';
import { type Database, OutcomeUnknownError, type Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type AccountId, lockAccount } from '../accounts/account.ts';
import { charge } from '../accounts/entries.ts';
import { required } from '../required.ts';
import { IdempotencyConflictError } from '../submissions/accept.ts';
import { isoTime, lira } from '../submissions/record.ts';
import { CheckUnavailableError, type Finding, type IndexCheckProvider, type Reservation, unknown } from './provider.ts';
import type { IndexCheckSettings } from './settings.ts';
import { finish, restore, untilStored } from './settle.ts';

/** A valid request to check, read from its body. */
export interface Checking {
  readonly account: AccountId;
  readonly idempotencyKey: string;
  readonly fingerprint: Uint8Array;
  readonly urls: readonly string[];
  readonly price: Micros;
}

/** A check with this key has not ended. Its charge stands or is restored with its own outcome. */
export class CheckInProgressError extends Error {
  override readonly name = 'CheckInProgressError';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterMs: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  }
}

/** The check was made and charged, and its result is older than its retention. Nothing new was charged. */
export class ResultExpiredError extends Error {
  override readonly name = 'ResultExpiredError';
}

interface CheckRow {
  readonly id: string;
  readonly fingerprint: Uint8Array;
  readonly status: 'executing' | 'done' | 'restored';
  readonly urls: string;
  readonly results: string | null;
  readonly price: Micros;
  readonly charged: Micros;
  readonly finished_at: number | null;
}

export interface Checked {
  readonly result: IndexCheckResult;
  readonly replayed: boolean;
}

/** How often a waiting request checks whether the first one has ended. */
const POLL_MS = 50;
const IN_PROGRESS_RETRY_MS = 2_000;

export interface CheckDeps {
  /** In turn with other customers: for everything before the charge. */
  readonly before: Database;
  /** Without a turn: the end of a check that was charged must not wait. */
  readonly db: Database;
  readonly provider: IndexCheckProvider;
  readonly settings: IndexCheckSettings;
  readonly now: () => number;
  /** Restores a check as soon as the storage can be used again. */
  readonly restoreSoon: (id: string) => void;
  /** A charge was given back because its check failed. */
  readonly onRestored: () => void;
}

/**
 * Carries out an index-check (spec 4.8) in two transactions: the claim of the key with the charge and a lease; then,
 * after the provider answered, the result, or the restored charge. Answers within `waitMs`, `timeoutMs` and the time
 * of its statements. Throws a CheckUnavailableError only when no charge stands; a CheckInProgressError when one may.
 */
export async function checkUrlsInIndex(deps: CheckDeps, wanted: Checking): Promise<Checked> {
  const { before, settings, now } = deps;
  for (const end = now() + settings.waitMs; ; await sleep(POLL_MS)) {
    const earlier = await findByKey(before, wanted);
    if (earlier === undefined) {
      const result = await start(deps, wanted);
      if (result !== undefined) return { result, replayed: false };
      continue;
    }
    if (Buffer.compare(earlier.fingerprint, wanted.fingerprint) !== 0) {
      throw new IdempotencyConflictError('the Idempotency-Key was used with another body');
    }
    if (earlier.status === 'done') {
      if (earlier.results === null) throw new ResultExpiredError(`the result of ${earlier.id} was deleted`);
      return { result: toResult(earlier), replayed: true };
    }
    if (now() >= end) {
      throw new CheckInProgressError(`index-check ${earlier.id} is still in progress`, IN_PROGRESS_RETRY_MS);
    }
  }
}

/** Reserves, claims and executes. Returns undefined when another request has claimed the key meanwhile. */
async function start(deps: CheckDeps, wanted: Checking): Promise<IndexCheckResult | undefined> {
  const { provider, settings } = deps;
  const problems = wanted.urls.map((url) => provider.findProblem(url));
  const queries = problems.filter((problem) => problem === null).length;
  const reservation = provider.reserve(queries, settings.timeoutMs);
  let id: string | undefined;
  try {
    id = await claim(deps, wanted, queries);
  } finally {
    if (id === undefined) reservation.release();
  }
  return id === undefined ? undefined : execute(deps, wanted, { id, problems, reservation });
}

/** Claims the key and charges. Returns undefined when the key is taken; throws InsufficientBalanceError. */
async function claim(
  { before: db, settings, now, restoreSoon }: CheckDeps,
  wanted: Checking,
  queries: number,
): Promise<string | undefined> {
  const id = `chk_${randomBytes(12).toString('hex')}`;
  const cost = timesMicros(wanted.price, queries);
  const at = now();
  try {
    await db.tx(async (tx) => {
      const account = await lockAccount(tx, wanted.account);
      const entry = await charge(tx, account, cost, id, at);
      const { changes } = await tx.run(sql`
        INSERT INTO index_checks (id, account_id, idempotency_key, fingerprint, status, urls, url_count, price, charged,
          charge_id, lease_until, created_at)
        VALUES (${id}, ${wanted.account}, ${wanted.idempotencyKey}, ${wanted.fingerprint}, 'executing',
          ${JSON.stringify(wanted.urls)}, ${wanted.urls.length}, ${wanted.price}, ${cost}, ${entry},
          ${at + settings.leaseMs}, ${at})
        ON CONFLICT (account_id, idempotency_key) DO NOTHING`);
      // Roll the charge back: another request has the key.
      if (changes === 0) throw new KeyTakenError();
    });
    return id;
  } catch (error) {
    if (error instanceof KeyTakenError) return undefined;
    // The charge may stand although nobody carries the check out.
    if (error instanceof OutcomeUnknownError) {
      restoreSoon(id);
      throw new CheckInProgressError(
        `it is unknown whether index-check ${id} was charged`,
        IN_PROGRESS_RETRY_MS,
        error,
      );
    }
    // On an account that has just enough, the winner's charge is what is missing here: judge the key first.
    if ((await findByKey(db, wanted)) !== undefined) return undefined;
    throw error;
  }
}

class KeyTakenError extends Error {}

const findByKey = (db: Queryable, { account, idempotencyKey }: Checking) =>
  db.get(sql<CheckRow>`
    SELECT id, fingerprint, status, urls, results, price, charged, finished_at FROM index_checks
    WHERE account_id = ${account} AND idempotency_key = ${idempotencyKey}`);

interface Execution {
  readonly id: string;
  /** Why each URL cannot be asked for, or null. */
  readonly problems: readonly (string | null)[];
  readonly reservation: Reservation;
}

async function execute(deps: CheckDeps, wanted: Checking, execution: Execution): Promise<IndexCheckResult> {
  const { db, provider, settings, now, restoreSoon, onRestored } = deps;
  const { id, problems, reservation } = execution;
  const asked = wanted.urls.filter((_, index) => problems[index] === null);
  /** The storage fails at the end of a check: the charge stands until it is back, so this is not an answer of 503. */
  const giveUp = (cause: unknown): never => {
    restoreSoon(id);
    throw new CheckInProgressError(`the result of index-check ${id} could not be stored`, IN_PROGRESS_RETRY_MS, cause);
  };
  let answers: readonly Finding[];
  try {
    const deadline = AbortSignal.timeout(settings.timeoutMs);
    answers = await Promise.race([reservation.check(asked, deadline), rejectWhenAborted(deadline)]);
    if (answers.length !== asked.length)
      throw new CheckUnavailableError('the provider returned no result for some URLs');
  } catch (cause) {
    if (await untilStored(() => restore(db, id, now())).catch(giveUp)) onRestored();
    const { retryAfterSeconds } = settings;
    throw new CheckUnavailableError(`${provider.name} could not carry out the check`, { cause, retryAfterSeconds });
  }
  const rest = answers.values();
  const findings = problems.map((problem) =>
    problem === null ? required(rest.next().value, 'an answer of the provider') : unknown(problem),
  );
  const unanswered = answers.filter(({ found }) => found === null).length;
  const kept = await untilStored(() => finish(db, id, findings, unanswered, now())).catch(giveUp);
  if (kept === null) throw new CheckUnavailableError('the check took longer than its lease');
  return toIndexCheckResult({ id, urls: wanted.urls, findings, price: wanted.price, ...kept });
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

const toResult = (row: CheckRow): IndexCheckResult =>
  toIndexCheckResult({
    id: row.id,
    urls: JSON.parse(row.urls) as string[],
    findings: JSON.parse(required(row.results, `the results of index-check ${row.id}`)) as Finding[],
    price: row.price,
    charged: row.charged,
    finishedAt: required(row.finished_at, `the end of index-check ${row.id}`),
  });

interface Outcome {
  readonly id: string;
  readonly urls: readonly string[];
  readonly findings: readonly Finding[];
  readonly price: Micros;
  readonly charged: Micros;
  readonly finishedAt: number;
}

const toStatus = (found: boolean | null) => (found === null ? 'unknown' : found ? 'found' : 'not_found');

function toIndexCheckResult({ id, urls, findings, price, charged, finishedAt }: Outcome): IndexCheckResult {
  const results = urls.map((url, index) => {
    const { found, position, reason = null } = required(findings[index], `the finding of ${url}`);
    return { url, status: toStatus(found), found, position, reason } as const;
  });
  return {
    id,
    checked_at: isoTime(finishedAt),
    url_count: urls.length,
    found_count: results.filter(({ found }) => found === true).length,
    unknown_count: results.filter(({ found }) => found === null).length,
    price_per_url: lira(price),
    charged: lira(charged),
    currency: CURRENCY,
    results,
  };
}
