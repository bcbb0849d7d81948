import { LIMITS } from '../contract/limits.ts';
import type { SubmissionState } from '../contract/states.ts';
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
  selectUnknown,
} from '../src/ledger/jobs/history-hold.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import { type HistoryHold, needsRecovery } from '../src/submission/history-hold.ts';
import type { AccountId, BatchId, Reference } from '../src/submission/ids.ts';
import { isProjectOf, mayBeProjectOf, parseTag } from '../src/submission/project-tag.ts';
import { compareUrls, findProof } from '../src/submission/reconcile.ts';
import { normalizeUrl } from '../src/url/normalize-url.ts';

/** What the comparison needs: the ledger, the service, and the projects of the account's watches. */
export interface HistoryScope {
  readonly ledger: Ledger;
  readonly account: AccountId;
  readonly projects: readonly string[];
  readonly send: SendRequest;
  /** Jobs that the ledger is known to lack. A hold names them too: the list may not show them yet. */
  readonly lost?: readonly Reference[];
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
  const references = [...new Set([...(scope.lost ?? []), ...ours.slice(0, SHOWN)])];
  const hold: HistoryHold = { code: 'unknown_jobs', references, more: ours.length > SHOWN };
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
