import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { listOpenSubmissions, type OpenSubmission } from '../src/ledger/jobs/record-poll.ts';
import type { AccountId } from '../src/submission/ids.ts';
import { alignToTick, nextPoll } from '../src/submission/poll-schedule.ts';
import { getTaskQueue, trackerWorkflowId } from '../src/temporal-api/ids.ts';
import type { TrackInput } from '../src/temporal-api/payloads.ts';
import { SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';
import { type TrackSubmission, WORKFLOW } from '../src/temporal-api/workflows.ts';
import type { Deps } from './deps.ts';

/** Longer than another process may take to write down what it has sent. */
const RECENT_MS = 600_000;
/** More jobs than become one within that time. */
const REMEMBERED = 1_000;

/**
 * Sees to it that every open job of the account has its tracker: started after each accepted batch, and again for those
 * that a crash, or a server that lost its state, left without one. One that runs already is left alone. All open jobs
 * are looked through once a process, then the recent ones: a hundred thousand standard jobs may be open at a time.
 */
export async function startTrackers(deps: Deps, account: AccountId): Promise<void> {
  const known = deps.getTracked(account);
  const since = known.size === 0 ? 0 : deps.now() - RECENT_MS;
  for (const open of await listOpenSubmissions(deps.ledger, account, since)) {
    if (known.has(open.reference)) continue;
    await startTracker(deps, account, open);
    known.add(open.reference);
  }
  // The oldest first. One that is forgotten too early is found to have its tracker.
  for (const reference of known) {
    if (known.size <= REMEMBERED) break;
    known.delete(reference);
  }
}

async function startTracker(
  { client, ledger, getAccount, now }: Deps,
  account: AccountId,
  open: OpenSubmission,
): Promise<void> {
  const { watch, batch, reference, service, urls } = open;
  const looks = getAccount(account).tracking[service];
  const next = nextPoll(looks, 0, now() - open.acceptedAt);
  const key = open.key;
  if (key === null) return;
  const input: TrackInput = {
    account,
    watch,
    batch,
    key,
    reference,
    service,
    urls,
    acceptedAt: open.acceptedAt,
    firstPollMs: next.kind === 'in' ? alignToTick(looks, now(), next.waitMs, false) : 0,
  };
  try {
    await client.workflow.start<TrackSubmission>(WORKFLOW.trackSubmission, {
      workflowId: trackerWorkflowId(ledger.id, key),
      taskQueue: getTaskQueue(ledger.id),
      args: [input],
      // A finished tracker has nothing left to do; one that failed or was terminated may be taken up again.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      staticSummary: `${reference}: ${urls} URLs of ${watch} (${service})`,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.ledger, value: ledger.id },
        { key: SEARCH_ATTRIBUTES.account, value: account },
        { key: SEARCH_ATTRIBUTES.watch, value: watch },
        { key: SEARCH_ATTRIBUTES.reference, value: reference },
        { key: SEARCH_ATTRIBUTES.service, value: service },
        { key: SEARCH_ATTRIBUTES.urls, value: urls },
        { key: SEARCH_ATTRIBUTES.phase, value: open.state },
      ],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
