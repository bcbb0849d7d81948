import type { Micros } from '../../contract/money.ts';
import { type Ask, readJob } from '../api-client/history.ts';
import type { SubmissionView } from '../api-client/read/submission.ts';
import type { Account, Watch } from '../config/config.ts';
import { findUnansweredByTag, isKnownReference } from '../ledger/batches/batch-queries.ts';
import { recordReconciled } from '../ledger/batches/record-reconciled.ts';
import { recoverJob } from '../ledger/jobs/recover.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Reference } from '../submission/ids.ts';
import { parseTag } from '../submission/project-tag.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { findWatchOfJob } from './assign-watch.ts';

/** A job of the service's list, and what decides about it. */
export interface Job {
  readonly ledger: Ledger;
  readonly account: Account;
  /** Those of the account. */
  readonly watches: readonly Watch[];
  /** Whose the job is when nothing else tells. */
  readonly fallback: Watch | null;
  readonly ask: Ask;
  readonly submission: SubmissionView;
}

export type JobTaken =
  | {
      readonly kind: 'recovered';
      readonly urls: number;
      readonly charged: Micros | null;
      /** Its job has not ended: it is to be followed. */
      readonly open: boolean;
    }
  /** The ledger had it. */
  | { readonly kind: 'known' }
  /** A batch of ours that waited for this answer. */
  | { readonly kind: 'settled' }
  /** Nobody's, as far as we can tell: left out. */
  | {
      readonly kind: 'unassigned';
      readonly reference: Reference;
      readonly project: string | null;
      readonly sample: string | null;
    };

/** Takes one job of the service's history into the ledger, once. Reads its URLs only when the ledger does not know it. */
export async function takeJob({ ledger, account, watches, fallback, ask, submission }: Job): Promise<JobTaken> {
  const { reference } = submission;
  if (await isKnownReference(ledger, account.id, reference)) return { kind: 'known' };
  const tag = submission.project === null ? null : parseTag(submission.project);
  const waiting = tag === null ? null : await findUnansweredByTag(ledger, account.id, tag);
  if (waiting !== null) {
    const { state, charged } = submission;
    await recordReconciled(ledger, waiting, {
      ...{ kind: 'found', reference, state, charged, pricePerUrl: null, balance: null },
    });
    return { kind: 'settled' };
  }
  const read = await readJob(ask, reference);
  const project = submission.project ?? read.submission?.project ?? null;
  const urls = read.urls.flatMap(({ url, state, reason }) => {
    const normal = normalizeUrl(url);
    return normal.ok ? [{ url: normal.url, result: state, reason }] : [];
  });
  const watch =
    findWatchOfJob(
      watches,
      project,
      urls.map(({ url }) => url),
    ) ?? fallback;
  if (watch === null || urls.length === 0) {
    return { kind: 'unassigned', reference, project, sample: read.urls[0]?.url ?? null };
  }
  const state = read.submission?.state ?? submission.state ?? 'queued';
  const terminal = account.terminalStates.includes(state);
  const charge = submission.charged ?? read.submission?.charged ?? null;
  const taken = await recoverJob(
    ledger,
    { account: account.id, watch: watch.id, baseUrl: account.baseUrl },
    {
      reference,
      state,
      terminal,
      service: submission.service ?? read.submission?.service ?? watch.service,
      project: project ?? watch.project,
      createdAt: submission.createdAt ?? read.submission?.createdAt ?? ledger.now(),
      charge,
      urls,
    },
  );
  return taken.kind === 'known' ? taken : { kind: 'recovered', urls: taken.urls, charged: charge, open: !terminal };
}
