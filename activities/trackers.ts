import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { countJobs } from '../src/ledger/jobs/count-jobs.ts';
import {
  getLastBatch,
  listOpenSubmissions,
  listRecoveredSubmissions,
  type OpenSubmission,
} from '../src/ledger/jobs/record-poll.ts';
import { listAskedSubmissions } from '../src/ledger/jobs/unread-jobs.ts';
import type { AccountId } from '../src/submission/ids.ts';
import { formatInstantIn } from '../src/submission/instant.ts';
import { alignToTick, nextPoll } from '../src/submission/poll-schedule.ts';
import { getTaskQueue, trackerWorkflowId } from '../src/temporal-api/ids.ts';
import type { TrackInput } from '../src/temporal-api/payloads.ts';
import { SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';
import { urls as countUrls, money } from '../src/temporal-api/sentences.ts';
import { describeTracker } from '../src/temporal-api/static-details.ts';
import { toKeyword, toSummary } from '../src/temporal-api/summary.ts';
import { type TrackSubmission, WORKFLOW } from '../src/temporal-api/workflows.ts';
import type { Deps } from './deps.ts';
import { getReading } from './reading.ts';
import { getZone } from './shown-waits.ts';
import type { TrackedJobs } from './tracked-jobs.ts';

/** Longer than another process may take to record what it has sent. */
const RECENT_MS = 600_000;
/** More jobs than are accepted within that time. */
const REMEMBERED = 1_000;
/** Jobs of an account whose every poll is shown. Each costs some thousand events of history, where others cost ten. */
const MOST_SHOWN = 50;

/**
 * Ensures that every open job of the account has a tracker: started after each accepted batch, and again for jobs that
 * lost theirs to a crash, a restored ledger or a server without its state. A process lists all open jobs once, then only
 * recovered ones and those accepted since: a hundred thousand standard jobs may be open at a time. A tracker that cannot
 * be started blocks no other. A job that has ended and is to be read again gets one, too. Returns whether all jobs have one.
 */
export async function startTrackers(deps: Deps, account: AccountId): Promise<boolean> {
  const tracked = deps.getTracked(account);
  const { references, missing } = tracked;
  const lastBatch = await getLastBatch(deps.ledger);
  const listedAt = deps.now();
  const reading = getReading(deps.getAccount(account));
  if (tracked.reading !== reading) forgetStarted(tracked);
  const listed =
    tracked.lastBatch === null || tracked.listedAt === null
      ? await listOpenSubmissions(deps.ledger, account)
      : [
          ...(await listOpenSubmissions(deps.ledger, account, Math.min(tracked.listedAt, listedAt) - RECENT_MS)),
          ...(await listRecoveredSubmissions(deps.ledger, account, tracked.lastBatch)),
        ];
  const jobs = new Map([...missing, ...listed.map((job) => [job.reference, job] as const)]);
  const asked = await listAskedSubmissions(deps.ledger, account);
  for (const job of asked) jobs.set(job.reference, job);
  const names = new Map(asked.map((job) => [job.reference, `${job.reference} ${job.asked}`]));
  for (const [reference, job] of jobs) {
    const name = names.get(reference) ?? reference;
    if (references.has(name)) continue;
    try {
      await startTracker(deps, account, job);
      references.add(name);
      missing.delete(reference);
    } catch (error) {
      missing.set(reference, job);
      deps.log.warn({ err: error, account, reference }, `the tracker of job ${reference} could not be started yet`);
    }
  }
  tracked.reading = reading;
  tracked.lastBatch = lastBatch;
  tracked.listedAt = listedAt;
  // Oldest first. Dropping a job too early is harmless: its tracker is already running.
  for (const reference of references) {
    if (references.size <= REMEMBERED) break;
    references.delete(reference);
  }
  return missing.size === 0;
}

/** Open jobs are listed and polled again: an overdue one, whose tracker has ended, may be understood by now. */
function forgetStarted(tracked: TrackedJobs): void {
  tracked.references.clear();
  tracked.lastBatch = null;
}

async function startTracker(deps: Deps, account: AccountId, open: OpenSubmission): Promise<void> {
  const { client, ledger, getAccount, now } = deps;
  const { watch, batch, key, reference, service, urls, acceptedAt, charge } = open;
  const policy = getAccount(account).tracking[service];
  const next = nextPoll(policy, 0, now() - acceptedAt);
  const firstPollMs = next.kind === 'in' ? alignToTick(policy, now(), next.waitMs, false) : 0;
  const showsPolls = (await countJobs(ledger.db, account, MOST_SHOWN + 1)) <= MOST_SHOWN;
  const input: TrackInput = {
    account,
    watch,
    batch,
    key,
    reference,
    service,
    urls,
    acceptedAt,
    firstPollMs,
    charged: charge,
    firstPollAt: formatInstantIn(getZone(deps, { account, watch }), now() + firstPollMs),
    showsPolls,
  };
  try {
    await client.workflow.start<TrackSubmission>(WORKFLOW.trackSubmission, {
      workflowId: trackerWorkflowId(ledger.id, key ?? reference),
      taskQueue: getTaskQueue(ledger.id),
      args: [input],
      // A completed tracker belongs to a later copy of the ledger: its result was not restored.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: toSummary(`${countUrls(urls)} of ${watch} (${service}): ${reference}`),
      staticDetails: describeTracker({ watch, account, reference, batch }),
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.ledger, value: ledger.id },
        { key: SEARCH_ATTRIBUTES.account, value: account },
        { key: SEARCH_ATTRIBUTES.watch, value: watch },
        { key: SEARCH_ATTRIBUTES.reference, value: toKeyword(reference) },
        { key: SEARCH_ATTRIBUTES.service, value: service },
        { key: SEARCH_ATTRIBUTES.urls, value: urls },
        { key: SEARCH_ATTRIBUTES.phase, value: toKeyword(open.state) },
        { key: SEARCH_ATTRIBUTES.summary, value: toKeyword(describeAccepted(input)) },
      ],
    });
  } catch (error) {
    // It already runs.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

const describeAccepted = ({ urls, charged, firstPollAt }: TrackInput): string =>
  `Accepted: ${countUrls(urls)}${charged === null ? '' : `, ${money(charged)} charged`}; polled from ${firstPollAt} on`;
