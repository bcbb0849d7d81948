import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CURRENCY, type Micros, timesMicros } from '../../contract/money.ts';
import type { IndexCheckResult } from '../../contract/responses.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { charge } from '../accounts/entries.ts';
import { IdempotencyConflictError } from '../submissions/accept.ts';
import { isoTime, lira } from '../submissions/record.ts';
import { CheckUnavailableError, type Finding, type IndexCheckProvider } from './provider.ts';
import { restore } from './restore.ts';
import type { IndexCheckSettings } from './settings.ts';

/** A valid request to check, read from its body. */
export interface Checking {
  readonly account: AccountId;
  readonly idempotencyKey: string;
  readonly fingerprint: Uint8Array;
  readonly urls: readonly string[];
  readonly price: Micros;
}

/** The first request with this key has not ended yet. Its charge stands or falls with its own outcome. */
export class CheckInProgressError extends Error {
  override readonly name = 'CheckInProgressError';
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

/** How often a waiting request looks whether the first one has ended. */
const LOOK_EVERY_MS = 50;

/**
 * Carries out an index-check (spec 4.8) in two transactions: the claim of the key with the charge and a lease; then,
 * after the provider answered, the result, or the restored charge. Throws CheckUnavailableError when no charge stands.
 */
export async function checkUrlsInIndex(
  db: Database,
  provider: IndexCheckProvider,
  settings: IndexCheckSettings,
  wanted: Checking,
  now: () => number,
): Promise<Checked> {
  for (const end = now() + settings.waitMs; ; await sleep(LOOK_EVERY_MS)) {
    const id = await claim(db, wanted, settings.leaseMs, now());
    if (id !== undefined) return { result: await execute(db, provider, settings, wanted, id, now), replayed: false };
    const earlier = await findByKey(db, wanted);
    // Restored in the meantime: the key is free again.
    if (earlier === undefined) continue;
    if (Buffer.compare(earlier.fingerprint, wanted.fingerprint) !== 0) {
      throw new IdempotencyConflictError('the key belongs to another body');
    }
    if (earlier.status === 'done') return { result: toResult(earlier), replayed: true };
    if (now() >= end) throw new CheckInProgressError(`index-check ${earlier.id} is still running`);
  }
}

/** Claims the key and charges. Returns undefined when the key is taken; throws InsufficientBalanceError. */
async function claim(db: Database, wanted: Checking, leaseMs: number, now: number): Promise<string | undefined> {
  if ((await findByKey(db, wanted)) !== undefined) return undefined;
  const id = `chk_${randomBytes(12).toString('hex')}`;
  const cost = timesMicros(wanted.price, wanted.urls.length);
  try {
    await db.tx(async (tx) => {
      const entry = await charge(tx, wanted.account, cost, id, now);
      const { changes } = await tx.run(sql`
        INSERT INTO index_checks (id, account_id, idempotency_key, fingerprint, status, urls, url_count, price, charged,
          charge_id, lease_until, created_at)
        VALUES (${id}, ${wanted.account}, ${wanted.idempotencyKey}, ${wanted.fingerprint}, 'executing',
          ${JSON.stringify(wanted.urls)}, ${wanted.urls.length}, ${wanted.price}, ${cost}, ${entry}, ${now + leaseMs},
          ${now})
        ON CONFLICT (account_id, idempotency_key) DO NOTHING`);
      // Roll the charge back: another request has the key.
      if (changes === 0) throw new KeyTakenError();
    });
    return id;
  } catch (error) {
    if (error instanceof KeyTakenError) return undefined;
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

async function execute(
  db: Database,
  provider: IndexCheckProvider,
  settings: IndexCheckSettings,
  wanted: Checking,
  id: string,
  now: () => number,
): Promise<IndexCheckResult> {
  let findings: readonly Finding[];
  try {
    const deadline = AbortSignal.timeout(settings.timeoutMs);
    findings = await Promise.race([provider.check(wanted.urls, deadline), aborted(deadline)]);
    if (findings.length !== wanted.urls.length) throw new CheckUnavailableError('the provider left URLs out');
  } catch (cause) {
    await restore(db, id, now());
    throw new CheckUnavailableError(`${provider.name} could not check`, { cause });
  }
  const finished = now();
  const { changes } = await db.run(sql`
    UPDATE index_checks SET status = 'done', results = ${JSON.stringify(findings)},
      found_count = ${findings.filter(({ found }) => found).length}, finished_at = ${finished}
    WHERE id = ${id} AND status = 'executing'`);
  // The lease ended first and the charge was given back: what was found was not paid for.
  if (changes === 0) throw new CheckUnavailableError('the check took longer than its lease');
  const charged = timesMicros(wanted.price, wanted.urls.length);
  return shape({ id, urls: wanted.urls, findings, price: wanted.price, charged, finished });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

const toResult = (row: CheckRow): IndexCheckResult =>
  shape({
    id: row.id,
    urls: JSON.parse(row.urls) as string[],
    findings: JSON.parse(row.results!) as Finding[],
    price: row.price,
    charged: row.charged,
    finished: row.finished_at!,
  });

interface Outcome {
  readonly id: string;
  readonly urls: readonly string[];
  readonly findings: readonly Finding[];
  readonly price: Micros;
  readonly charged: Micros;
  readonly finished: number;
}

function shape({ id, urls, findings, price, charged, finished }: Outcome): IndexCheckResult {
  const results = urls.map((url, index) => {
    const { found, position } = findings[index]!;
    return { url, found, position };
  });
  return {
    id,
    checked_at: isoTime(finished),
    url_count: urls.length,
    found_count: findings.filter(({ found }) => found).length,
    price_per_url: lira(price),
    charged: lira(charged),
    currency: CURRENCY,
    results,
  };
}
