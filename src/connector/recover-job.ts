import type { Micros } from '../../contract/money.ts';
import { readJob, type SendRequest } from '../api-client/history.ts';
import type { SubmissionView } from '../api-client/read/submission.ts';
import type { Account, Watch } from '../config/config.ts';
import { findUnansweredByTag } from '../ledger/batches/batch-queries.ts';
import { recordReconciled } from '../ledger/batches/record-reconciled.ts';
import { selectUnknown } from '../ledger/jobs/history-hold.ts';
import { recoverJob } from '../ledger/jobs/recover.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Reference, WatchId } from '../submission/ids.ts';
import { isProjectOf, parseTag } from '../submission/project-tag.ts';
import { isOver } from '../submission/states.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { findWatchOfJob } from './assign-watch.ts';

/** A job from the service's list, and what decides how it is recorded. */
export interface Job {
  readonly ledger: Ledger;
  readonly account: Account;
  /** The watches of the account. */
  readonly watches: readonly Watch[];
  /** Watches of other accounts that this ledger knows in this one: they have moved since. */
  readonly moved: readonly Watch[];
  /** The watch for a job that nothing else assigns. */
  readonly fallback: Watch | null;
  readonly send: SendRequest;
  readonly submission: SubmissionView;
  /** The time for a job whose time the service does not show: that of the previous job. */
  readonly notBefore: number | null;
}

export type JobTaken =
  | {
      readonly kind: 'recovered';
      readonly reference: Reference;
      readonly urls: number;
      /** URLs of the job that the service does not show: they do not count as bought. */
      readonly missing: number;
      readonly charged: Micros | null;
      /** The job has not ended: it must be tracked. */
      readonly open: boolean;
      readonly createdAt: number | null;
    }
  /** The ledger has it, or you declared that it does not belong to this ledger. */
  | { readonly kind: 'known' }
  /** A batch of this ledger in doubt. */
  | { readonly kind: 'settled' }
  /** The account is held for it, and the service neither lists nor shows it. */
  | { readonly kind: 'not_found'; readonly reference: Reference }
  /** Matches no watch: left out. */
  | {
      readonly kind: 'unassigned';
      readonly reference: Reference;
      readonly project: string | null;
      readonly sample: string | null;
      /** The watch of its project, as far as the ledger knows, when it is not in the configuration. */
      readonly missingWatch: WatchId | null;
    };

/** Imports one job from the service's history into the ledger, once. Reads its URLs only when the ledger lacks it. */
export async function takeJob(job: Job): Promise<JobTaken> {
  const { ledger, account, watches, moved, fallback, send, submission, notBefore } = job;
  const { reference } = submission;
  if ((await selectUnknown(ledger, account.id, [reference])).size === 0) return { kind: 'known' };
  const tag = submission.project === null ? null : parseTag(submission.project);
  const waiting = tag === null ? null : await findUnansweredByTag(ledger, account.id, tag);
  if (waiting !== null) {
    const { state, charged, pricePerUrl } = submission;
    const createdAt = submission.createdAt ?? notBefore;
    const found = { kind: 'found', reference, state, charged, pricePerUrl, balance: null, createdAt } as const;
    await recordReconciled(ledger, waiting, found);
    return { kind: 'settled' };
  }
  const read = await readJob(send, reference);
  const detail = read.submission;
  const project = submission.project ?? detail?.project ?? null;
  const urls = read.urls.flatMap(({ url, state, reason }) => {
    const normal = normalizeUrl(url);
    return normal.ok ? [{ url: normal.url, result: state, reason }] : [];
  });
  const named = urls.map(({ url }) => url);
  const isNamed = (each: Watch): boolean => project !== null && isProjectOf(each.project, project);
  // A watch of the account may have any host: the project decides first.
  const candidates = !watches.some(isNamed) && moved.some(isNamed) ? moved : watches;
  const watch = findWatchOfJob(candidates, project, named) ?? fallback;
  if (watch === null || urls.length === 0) {
    return { kind: 'unassigned', reference, project, sample: read.urls[0]?.url ?? null, missingWatch: null };
  }
  const state = submission.state ?? detail?.state ?? 'queued';
  const openUrls = urls.filter(({ result }) => result === 'open').length;
  const terminal = isOver({ state, openUrls, quietPolls: 0, terminalStates: account.terminalStates });
  const charge = submission.charged ?? detail?.charged ?? null;
  const createdAt = submission.createdAt ?? detail?.createdAt ?? null;
  const taken = await recoverJob(
    ledger,
    { account: account.id, watch: watch.id, baseUrl: account.baseUrl },
    {
      reference,
      state,
      terminal,
      service: submission.service ?? detail?.service ?? watch.service,
      project: project ?? watch.project,
      createdAt: createdAt ?? notBefore ?? ledger.now(),
      charge,
      pricePerUrl: submission.pricePerUrl ?? detail?.pricePerUrl ?? null,
      urls,
    },
  );
  if (taken.kind === 'known') return { kind: 'known' };
  if (taken.kind === 'answered') return { kind: 'settled' };
  const count = submission.urlCount ?? detail?.urlCount ?? null;
  const missing = Math.max(0, (count ?? taken.urls) - new Set(named).size);
  return { kind: 'recovered', reference, urls: taken.urls, missing, charged: charge, open: !terminal, createdAt };
}
