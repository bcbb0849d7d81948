import { LIMITS } from '../contract/limits.ts';
import type { SubmissionState } from '../contract/states.ts';
import { ApiError, NotFoundError, RequestRefusedError } from '../src/api-client/errors.ts';
import { createHistoryReader, readJob, type SendRequest } from '../src/api-client/history.ts';
import type { SubmissionsPage, SubmissionView } from '../src/api-client/read/submission.ts';
import { getHistoryHold } from '../src/ledger/accounts/stops.ts';
import { findUnansweredByTag, listBatchesInDoubt } from '../src/ledger/batches/batch-queries.ts';
import { recordReconciled } from '../src/ledger/batches/record-reconciled.ts';
import {
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
const SHOWN = 5;
/** A job that the service lists and refuses to show may be shown soon: it is asked for again for this long. */
const REFUSED_MS = 600_000;
/** A job in one of these states shows no more URLs than now. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed'] satisfies SubmissionState[]);

/** `unfinished`: some jobs are not looked at yet, so nobody knows whether the ledger has all that was bought. */
export type Compared =
  | { readonly kind: 'complete' }
  | { readonly kind: 'held'; readonly hold: HistoryHold }
  | { readonly kind: 'unfinished'; readonly read: number };

/**
 * Compares the service's newest jobs with the ledger before money is spent. A job of ours that the ledger does not know
 * means that the ledger is new or a restored copy: the account is held until `courier recover` has imported the jobs,
 * because due URLs may already be bought. A job that matches a batch in doubt is recorded as that batch. Jobs of others
 * are remembered in the ledger, so that each is read once.
 *
 * Ours are jobs with our tag and the project of a watch, or one under which the ledger has bought in the account, and jobs
 * with a URL that a watch of the account has.
 *
 * It is complete when every page of the list was read, whatever its order, and every job in it decided: a job that nobody
 * looked at may be ours. What fails is asked for again by the next call, so that a comparison can be made in parts.
 */
export class HistoryComparison {
  #scope: HistoryScope;
  #next: (() => Promise<SubmissionsPage | null>) | null = null;
  /** Of the page that was read last: unknown jobs that only their URLs can decide. */
  #undecided: SubmissionView[] = [];
  #refused: SubmissionView[] = [];
  /** When all others were decided. */
  #refusedSince: number | null = null;
  #requests = 0;
  #read = 0;

  constructor(scope: HistoryScope) {
    this.#scope = scope;
  }

  /** Reads on, with at most that many requests. */
  async readOn(scope: HistoryScope, mostRequests: number): Promise<Compared> {
    this.#scope = scope;
    this.#requests = 0;
    const { ledger, account } = scope;
    const held = await getHistoryHold(ledger.db, account);
    if (held !== null && needsRecovery(held)) return { kind: 'held', hold: held };
    this.#next ??= createHistoryReader(this.#send, await this.#getStart());
    for (;;) {
      const ours = await this.#decide(mostRequests);
      if (ours.length > 0) return this.#hold(ours);
      if (this.#requests >= mostRequests) return { kind: 'unfinished', read: this.#read };
      const page = await this.#next();
      if (page === null) break;
      const listed = await this.#sort(page.submissions);
      if (listed.length > 0) return this.#hold(listed);
    }
    const refused = await this.#stillUnknown(this.#refused.map(({ reference }) => reference));
    if (refused.length === 0) return { kind: 'complete' };
    this.#refusedSince ??= ledger.now();
    if (ledger.now() - this.#refusedSince >= REFUSED_MS) return this.#hold(refused);
    this.#undecided = this.#refused.splice(0);
    return { kind: 'unfinished', read: this.#read };
  }

  readonly #send: SendRequest = (request) => {
    this.#requests += 1;
    return this.#scope.send(request);
  };

  async #getStart(): Promise<string | null> {
    const last = await getLastAcceptance(this.#scope.ledger, this.#scope.account);
    return last === null ? null : new Date(last - EARLIER_MS).toISOString().slice(0, 10);
  }

  /** What a page of the list itself decides: returns the jobs that are ours, and keeps those that it does not decide. */
  async #sort(submissions: readonly SubmissionView[]): Promise<readonly Reference[]> {
    const { ledger, account, projects } = this.#scope;
    const references = submissions.map(({ reference }) => reference);
    const unknown = await selectUnknown(ledger, account, references);
    const ours: Reference[] = [];
    let past: readonly string[] | null = null;
    for (const job of submissions) {
      if (!unknown.has(job.reference) || (await isUnanswered(this.#scope, job))) continue;
      let isOurs = hasOurProject(projects, job);
      if (isOurs === null && job.project !== null && parseTag(job.project) !== null) {
        // A watch that is not configured now may come back, and would buy again what the copy lacks.
        past ??= await listProjects(ledger, account);
        isOurs = hasOurProject(past, job);
      }
      if (isOurs === true) ours.push(job.reference);
      if (isOurs === null) this.#undecided.push(job);
    }
    return this.#stillUnknown(ours);
  }

  /** Reads the undecided jobs, one request each: returns those that are ours. */
  async #decide(mostRequests: number): Promise<readonly Reference[]> {
    const { ledger, account } = this.#scope;
    const scope = { ...this.#scope, send: this.#send };
    const ours: Reference[] = [];
    for (let job = this.#undecided[0]; job !== undefined && this.#requests < mostRequests; job = this.#undecided[0]) {
      const owner = await this.#findOwner(scope, job).catch((error: unknown) => {
        if (isRefused(error)) return 'not shown';
        // What is ours is known, whatever becomes of the others.
        if (ours.length > 0) return null;
        throw error;
      });
      if (owner === null) break;
      if (owner === 'ledger') ours.push(job.reference);
      if (owner === 'other') await recordForeignJobs(ledger, account, [job.reference]);
      if (owner === 'not shown') this.#refused.push(job);
      this.#undecided.shift();
      this.#read += 1;
    }
    return this.#stillUnknown(ours);
  }

  /** Another worker may have read the job since the list was. */
  async #findOwner(scope: HistoryScope, job: SubmissionView): Promise<Owner> {
    return (await this.#stillUnknown([job.reference])).length === 0 ? 'known' : findOwner(scope, job);
  }

  /** Another comparison, or the answer to a request, may have recorded such a job since: then it is known after all. */
  async #stillUnknown(ours: readonly Reference[]): Promise<readonly Reference[]> {
    return ours.length === 0 ? ours : [...(await selectUnknown(this.#scope.ledger, this.#scope.account, ours))];
  }

  async #hold(ours: readonly Reference[]): Promise<Compared> {
    const { ledger, account, lost = [] } = this.#scope;
    const references = [...new Set([...lost, ...ours.slice(0, SHOWN)])];
    const hold: HistoryHold = { code: 'unknown_jobs', references, more: ours.length > SHOWN };
    await holdSpending(ledger, account, hold);
    return { kind: 'held', hold };
  }
}

/** This job alone cannot be read, and the same request would be refused again. A rejected key is a 401. */
const isRefused = (error: unknown): boolean =>
  error instanceof NotFoundError ||
  error instanceof RequestRefusedError ||
  (error instanceof ApiError && (error.status === 403 || error.status === 410));

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

/** `later`: the job does not show yet whose it is. `not shown`: the service refuses to show it. `known`: the ledger has it by now. */
type Owner = 'ledger' | 'batch in doubt' | 'other' | 'later' | 'not shown' | 'known';

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
