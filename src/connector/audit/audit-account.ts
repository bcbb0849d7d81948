import { ApiError, AuthenticationError, NotFoundError, ServiceUnavailableError } from '../../api-client/errors.ts';
import { listHistory, type SendRequest } from '../../api-client/history.ts';
import type { Account, Config } from '../../config/config.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import { getDayStart } from '../../ledger/journal/days.ts';
import { findOtherAccount } from '../../ledger/money/account-status.ts';
import { listReadings } from '../../ledger/money/balance-readings.ts';
import { findRecordedOther } from '../../ledger/money/confirm-account.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Reference } from '../../submission/ids.ts';
import { formatDay } from '../../submission/instant.ts';
import { toSentence } from '../../submission/reason.ts';
import { OperationError } from '../operation-error.ts';
import { retryFailed } from '../retry-failed.ts';
import { withService } from '../service-client.ts';
import type { Audit, AuditPeriod, Facts, JobList, ListedJob } from './audit.ts';
import { compareFacts } from './compare-facts.ts';
import { type BalanceNow, listMissing, readLedgerFacts } from './read-ledger.ts';

export interface AuditProgress {
  listed(jobs: number, total: number | null): void;
  lookedUp(jobs: number, total: number): void;
  /** Waits for the rate limit, or to try again. */
  waiting(waitMs: number, why: string): void;
}

export interface AuditSettings {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly account: Account;
  readonly period: AuditPeriod;
  readonly signal: AbortSignal;
  readonly progress: AuditProgress;
}

export interface Audited {
  readonly audit: Audit;
  /** Why the service was not read, or not to the end; null: it was. */
  readonly failure: ApiError | SecretMissingError | null;
}

const DAY_MS = 86_400_000;
/** Of a request that fails; a service that does not answer at all is asked once. */
const MOST_TRIES = 4;
/** Jobs that the list lacks are asked for one by one, for two minutes of the rate limit at most. */
const MOST_LOOKED_UP = 200;

/**
 * Reads what both sides have of an account, and compares it. Sends GET requests alone, within the rate limits of the account,
 * and writes nothing to the ledger. Throws an OperationError (other_account) when the key is another account's: that would
 * prove nothing.
 */
export async function auditAccount(settings: AuditSettings): Promise<Audited> {
  const { config, ledger, account, period, signal, progress } = settings;
  const before = await findOtherAccount(ledger.db, account);
  if (before !== null) throw new OperationError('other_account', toSentence(before));
  return withService({ config, ledger }, account, signal, async ({ request }) => {
    const send: SendRequest = (each) => request(each, (waitMs) => progress.waiting(waitMs, 'the rate limit'));
    const tried = retryFailed(send, { tries: MOST_TRIES, signal, onWait: progress.waiting });
    const shown = await readService(settings, send, tried);
    const watches = [...config.watches.values()];
    const facts = await readLedgerFacts({ ...shown, ledger, account, period, watches });
    const found = await lookUp(listMissing(facts), tried, progress);
    return {
      audit: compareFacts({ ...facts, lookedUp: found.jobs }),
      failure: shown.failure ?? found.failure,
    };
  });
}

interface Shown extends Pick<Facts, 'list' | 'balanceFailure'> {
  readonly balance: BalanceNow | null;
  readonly failure: Audited['failure'];
}

/** The balance and the list, as far as the service gives them. */
async function readService(settings: AuditSettings, send: SendRequest, tried: SendRequest): Promise<Shown> {
  const { ledger, period } = settings;
  const unreached = await attempt(() => requireAccount(settings, send));
  if (unreached.failure !== null && endsReading(unreached.failure)) {
    const { failure } = unreached;
    return {
      list: { kind: 'not_read', why: failure.message },
      balance: null,
      balanceFailure: failure.message,
      failure,
    };
  }
  const at = ledger.now();
  // The current balance says nothing of a period that is over.
  const balance = at >= period.until ? null : await attempt(() => tried((client) => client.balance()));
  const jobs = await attempt(() => readList(settings, tried));
  const list: JobList =
    jobs.failure === null ? { kind: 'read', jobs: jobs.result } : { kind: 'not_read', why: jobs.failure.message };
  return {
    list,
    balance: balance === null || balance.failure !== null ? null : { amount: balance.result.balance, at },
    balanceFailure: balance?.failure?.message ?? null,
    failure: jobs.failure ?? balance?.failure ?? null,
  };
}

/** Another request would fail alike. */
const endsReading = (error: ApiError | SecretMissingError): boolean =>
  error instanceof SecretMissingError ||
  error instanceof AuthenticationError ||
  error instanceof ServiceUnavailableError;

type Attempted<T> =
  | { readonly failure: null; readonly result: T }
  | { readonly failure: ApiError | SecretMissingError };

async function attempt<T>(work: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { failure: null, result: await work() };
  } catch (error) {
    if (error instanceof ApiError || error instanceof SecretMissingError) return { failure: error };
    throw error;
  }
}

async function requireAccount({ ledger, account }: AuditSettings, send: SendRequest): Promise<void> {
  const { identity } = await send((client) => client.me());
  const recorded = await findRecordedOther(ledger.db, account.id, identity);
  if (recorded === null || identity === null) return;
  throw new OperationError(
    'other_account',
    toSentence({ code: 'other_account', account: account.id, recorded, shown: identity }),
  );
}

/** From a day before to a day after: a service counts days in its own time zone. */
async function readList(settings: AuditSettings, send: SendRequest): Promise<readonly ListedJob[]> {
  const { ledger, account, period, progress } = settings;
  const [first] = await listReadings(ledger.db, account.id, period);
  const from = getDayStart(Math.min(period.from, first?.at ?? period.from) - DAY_MS);
  const to = period.until > ledger.now() ? null : formatDay(period.until);
  return listHistory(send, formatDay(Math.max(from, 0)), (jobs, total) => progress.listed(jobs, total), to);
}

interface LookedUp {
  readonly jobs: ReadonlyMap<Reference, ListedJob | null>;
  readonly failure: Audited['failure'];
}

/** Asks for jobs by their references: a list may be late, or end before them. Ends with the first request that fails. */
async function lookUp(references: readonly Reference[], send: SendRequest, progress: AuditProgress): Promise<LookedUp> {
  const jobs = new Map<Reference, ListedJob | null>();
  const asked = references.slice(0, MOST_LOOKED_UP);
  for (const reference of asked) {
    const detail = await attempt(() =>
      send((client) => client.getSubmission(reference, { urlPage: 1, urlLimit: 1 })).catch((error: unknown) => {
        if (error instanceof NotFoundError || (error instanceof ApiError && error.status === 410)) return null;
        throw error;
      }),
    );
    if (detail.failure !== null) return { jobs, failure: detail.failure };
    jobs.set(reference, toJob(reference, detail.result?.submission ?? null));
    progress.lookedUp(jobs.size, asked.length);
  }
  return { jobs, failure: null };
}

const toJob = (reference: Reference, shown: Omit<ListedJob, 'reference'> | null): ListedJob | null =>
  shown === null ? null : { ...shown, reference };
