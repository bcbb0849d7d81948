import { LIMITS } from '../contract/limits.ts';
import type { SubmissionState } from '../contract/states.ts';
import { ApiError, AuthenticationError, unwrapData } from '../src/api-client/errors.ts';
import { readHistoryPages, readJob, type SendRequest } from '../src/api-client/history.ts';
import type { SubmissionView } from '../src/api-client/read/submission.ts';
import { findUnansweredByTag, listBatchesInDoubt } from '../src/ledger/batches/batch-queries.ts';
import { recordReconciled } from '../src/ledger/batches/record-reconciled.ts';
import {
  getHistoryHold,
  getLastAcceptance,
  hasUrlOf,
  holdSpending,
  listProjects,
  recordForeignJobs,
  releaseHistoryHold,
  selectUnknown,
} from '../src/ledger/jobs/history-hold.ts';
import { recordKeyRejected } from '../src/ledger/money/account-status.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import { elapsedBackoffMs } from '../src/submission/backoff.ts';
import { describeHistoryHold, type HistoryHold, needsRecovery } from '../src/submission/history-hold.ts';
import type { AccountId, BatchId, Reference } from '../src/submission/ids.ts';
import { isProjectOf, mayBeProjectOf, parseTag } from '../src/submission/project-tag.ts';
import { compareUrls, findProof } from '../src/submission/reconcile.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import { normalizeUrl } from '../src/url/normalize-url.ts';
import type { Deps } from './deps.ts';

/** What the comparison needs: the ledger, the service, and the projects of the account's watches. */
export interface HistoryScope {
  readonly ledger: Ledger;
  readonly account: AccountId;
  readonly projects: readonly string[];
  readonly send: SendRequest;
}

const DAY_MS = 86_400_000;
/** Also compare jobs that are this much older: covers clock differences, time zones and dates without a time. */
const EARLIER_MS = 2 * DAY_MS;
/** A ledger that lacks jobs lacks the newest, so this many pages show at least one. */
const MOST_PAGES = 5;
/** A job without one of our projects costs a request, to read its URLs. */
const MOST_READ = 10;
const SHOWN = 5;
/** A job in one of these states shows no more URLs than now. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'partial', 'failed'] satisfies SubmissionState[]);

/**
 * Compares the service's newest jobs with the ledger before money is spent. A job of ours that the ledger does not know
 * means that the ledger is new or a restored copy: the account is held until `courier recover` has imported the jobs,
 * because due URLs may already be bought. A job that matches a batch in doubt is recorded as that batch. Jobs of others
 * are remembered, so that each is read once.
 *
 * Ours are jobs with our tag and the project of a watch, or one under which the ledger has bought in the account, and jobs
 * with a URL that a watch of the account has.
 */
export async function compareHistory(scope: HistoryScope): Promise<HistoryHold | null> {
  const { ledger, account } = scope;
  const held = await getHistoryHold(ledger.db, account);
  if (held !== null && needsRecovery(held)) return held;
  const ours: Reference[] = [];
  let read = 0;
  const last = await getLastAcceptance(ledger, account);
  const from = last === null ? null : new Date(last - EARLIER_MS).toISOString().slice(0, 10);
  let pages = 0;
  let past: readonly string[] | null = null;
  /** A watch that is not configured now may come back, and would buy again what the copy lacks. */
  const hasPastProject = async (job: SubmissionView): Promise<boolean | null> => {
    if (job.project === null || parseTag(job.project) === null) return null;
    past ??= await listProjects(ledger, account);
    return hasOurProject(past, job);
  };
  for await (const { submissions } of readHistoryPages(scope.send, from)) {
    const unknown = await selectUnknown(
      ledger,
      account,
      submissions.map(({ reference }) => reference),
    );
    for (const job of submissions) {
      if (!unknown.has(job.reference) || (await isUnanswered(scope, job))) continue;
      const decided = hasOurProject(scope.projects, job) ?? (await hasPastProject(job));
      if (decided !== null) {
        if (decided) ours.push(job.reference);
        continue;
      }
      if (read >= MOST_READ) continue;
      read += 1;
      const owner = await findOwner(scope, job);
      if (owner === 'ledger') ours.push(job.reference);
      if (owner === 'other') await recordForeignJobs(ledger, account, [job.reference]);
    }
    // Another comparison, or the answer to a request, may have recorded such a job since: then it is known after all.
    if (ours.length > 0) ours.splice(0, ours.length, ...(await selectUnknown(ledger, account, ours)));
    pages += 1;
    if (ours.length > 0 || pages >= MOST_PAGES) break;
  }
  if (ours.length === 0) return null;
  const hold: HistoryHold = { code: 'unknown_jobs', references: ours.slice(0, SHOWN), more: ours.length > SHOWN };
  await holdSpending(ledger, account, hold);
  return hold;
}

/** Marks a batch as accepted that is in doubt, or that a later copy of the ledger sent. */
async function isUnanswered({ ledger, account }: HistoryScope, job: SubmissionView): Promise<boolean> {
  const tag = job.project === null ? null : parseTag(job.project);
  const batch = tag === null ? null : await findUnansweredByTag(ledger, account, tag);
  if (batch === null) return false;
  await recordFound(ledger, batch, job);
  return true;
}

async function recordFound(
  ledger: Ledger,
  batch: BatchId,
  { reference, state, charged, pricePerUrl, createdAt }: SubmissionView,
): Promise<void> {
  const found = { kind: 'found', reference, state, charged, pricePerUrl, balance: null, createdAt } as const;
  await recordReconciled(ledger, batch, found);
}

/** Null: the project does not decide. Another project without our tag means another owner. */
function hasOurProject(projects: readonly string[], { project }: SubmissionView): boolean | null {
  if (project === null) return null;
  if (parseTag(project) === null) return projects.some((each) => mayBeProjectOf(each, project)) ? null : false;
  return projects.some((each) => isProjectOf(each, project)) ? true : null;
}

/** `later`: the job does not show yet whose it is. */
type Owner = 'ledger' | 'batch in doubt' | 'other' | 'later';

/**
 * Whose job it is whose project does not say: the ledger's when its first page of URLs has one that a watch of the account
 * has, unless it is a batch in doubt, which is recorded. Without URLs our tag decides, and an open job may show them later.
 */
async function findOwner(scope: HistoryScope, job: SubmissionView): Promise<Owner> {
  const { ledger, account, send } = scope;
  const { reference, project } = job;
  const { submission, urls } = await send((client) =>
    client.getSubmission(reference, { urlPage: 1, urlLimit: LIMITS.urlPage.max }),
  );
  const known = urls.flatMap(({ url }) => {
    const normal = normalizeUrl(url);
    return normal.ok ? [normal.url] : [];
  });
  if (known.length === 0) {
    if (project !== null && parseTag(project) !== null) return 'ledger';
    return ENDED.has(submission?.state ?? job.state ?? '') ? 'other' : 'later';
  }
  if (!(await hasUrlOf(ledger, account, known))) return 'other';
  return (await isInDoubt(scope, job)) ? 'batch in doubt' : 'ledger';
}

/** Compares all URLs of the job with each batch in doubt, as a lookup of the batch does. Records the batch that it is. */
async function isInDoubt({ ledger, account, send }: HistoryScope, job: SubmissionView): Promise<boolean> {
  const inDoubt = await listBatchesInDoubt(ledger, account);
  const candidates = inDoubt.filter((batch) => findProof(job, batch).kind === 'compare-urls');
  if (candidates.length === 0) return false;
  const urls = (await readJob(send, job.reference)).urls.map(({ url }) => url);
  const batch = candidates.find((each) => compareUrls(each.urls, urls) === 'same');
  if (batch === undefined) return false;
  await recordFound(ledger, batch.id, job);
  return true;
}

/** After this long without spending, the ledger may have been replaced: compare again. */
const SILENCE_MS = 3_600_000;
/**
 * A list that fails for longer holds the account where this process has never read it: the ledger may be a restored copy. A
 * process that has read it goes on: keys and lookups of batches in doubt still protect it.
 */
const GIVE_UP_MS = 600_000;
const LIST_BACKOFF = { firstMs: 2_000, maxMs: 60_000 };

interface Compared {
  /** When the account was last compared, or checked without a need to compare. */
  at: number | null;
  /** The list was read in this process. */
  wasRead: boolean;
  failingSince: number | null;
}

/** `needsList`: a process that has never read the list may not spend. */
export interface GuardScope extends HistoryScope {
  readonly needsList: boolean;
}

/**
 * Runs before every spend; `null` when nothing blocks it. Throws an AuthenticationError where the list must be read and the
 * service rejects the key for all requests: a gateway that rejects one of them proves nothing.
 */
export type HistoryGuard = (scope: GuardScope) => Promise<HistoryHold | null>;

/** Remembers, per process, which accounts were compared. `warn`: the list could not be read. */
export function createHistoryGuard(
  now: () => number,
  warn: (account: AccountId, error: ApiError) => void,
): HistoryGuard {
  const accounts = new Map<AccountId, Compared>();
  return async (scope) => {
    const { ledger, account } = scope;
    const held = await getHistoryHold(ledger.db, account);
    if (held !== null && needsRecovery(held)) return held;
    const compared = accounts.get(account) ?? { at: null, wasRead: false, failingSince: null };
    accounts.set(account, compared);
    if (held !== null || compared.at === null || now() - compared.at >= SILENCE_MS) {
      try {
        const hold = await compareHistory(scope);
        compared.failingSince = null;
        compared.wasRead = true;
        if (hold !== null) return hold;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const mustRead = scope.needsList && (held !== null || !compared.wasRead);
        if (error instanceof AuthenticationError) {
          // A rejected key spends nothing: the request that would spend is rejected too.
          if (!mustRead) {
            if (held !== null) await releaseHistoryHold(ledger, account);
            return null;
          }
          if (await isKeyRejected(scope)) throw error;
        }
        const mayPass = error.policy === 'retry' || error instanceof AuthenticationError;
        compared.failingSince ??= now();
        if (mayPass && now() - compared.failingSince < GIVE_UP_MS) {
          const message = `the service's newest jobs cannot be compared with the ledger yet: ${error.message}`;
          const waitMs = elapsedBackoffMs(now() - compared.failingSince, LIST_BACKOFF);
          throw retryLater(Math.max(waitMs, error.retryAfterMs ?? 0), message);
        }
        if (mayPass && mustRead) {
          return held ?? (await holdUntilRead(ledger, account, error));
        }
        warn(account, error);
      }
      if (held !== null) await releaseHistoryHold(ledger, account);
    }
    compared.at = now();
    return null;
  };
}

async function isKeyRejected({ send }: HistoryScope): Promise<boolean> {
  try {
    await send((client) => client.me());
  } catch (error) {
    return error instanceof AuthenticationError;
  }
  return false;
}

async function holdUntilRead(ledger: Ledger, account: AccountId, { message }: ApiError): Promise<HistoryHold> {
  const hold: HistoryHold = { code: 'list_unread', why: message };
  await holdSpending(ledger, account, hold);
  return hold;
}

/** Why an account may not spend. */
export interface SpendingHold {
  readonly kind: 'suspended' | 'key_rejected';
  readonly reason: string;
}

/** The guard of a worker's activities, for the account's own service. Returns why nothing may be spent, or null. */
export function openHistoryGuard(deps: Deps): (account: AccountId) => Promise<SpendingHold | null> {
  const { ledger, getApi, log } = deps;
  const guard = createHistoryGuard(deps.now, (account, error) =>
    log.warn({ account, err: error }, 'cannot read the list of jobs; spending continues without the comparison'),
  );
  return async (account) => {
    const projects = [...deps.config.watches.values()].filter((watch) => watch.account === account);
    try {
      const hold = await guard({
        ledger,
        account,
        projects: projects.map(({ project }) => project),
        send: (request) => getApi(account).request('poll', request).then(unwrapData),
        needsList: deps.getAccount(account).reconcile.needsList,
      });
      return hold === null ? null : { kind: 'suspended', reason: describeHistoryHold(account, hold) };
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      await recordKeyRejected(ledger.db, account, { code: 'answer', outcome: 'reject_key', text: error.message });
      return { kind: 'key_rejected', reason: error.message };
    }
  };
}
