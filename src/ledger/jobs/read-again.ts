import { sql } from '../../database/sql.ts';
import type { RetryFailedPolicy } from '../../submission/generations.ts';
import type { AccountId, Reference } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { complete, countResults, fail, fillIn, queueChecks, type Settled, settledCounts } from './assign-results.ts';
import { getJob } from './record-poll.ts';
import { type UrlResult, writeResults } from './settle-job.ts';
import { type AnsweredJob, findAskedJob, recordTried } from './unread-jobs.ts';

/** What a job that has ended shows, read once more. */
export interface ReadAgain extends AnsweredJob {
  readonly results: readonly UrlResult[];
  /** What the recorded word for the end of the job means by now. */
  readonly jobState: string;
  /** As for `settleJob`. */
  readonly retryFailed: RetryFailedPolicy | null;
}

/** Bought with this job, without a result of it since, and not to be bought for another reason. */
const HAS_NO_RESULT = sql`u.state = 'known' AND u.reason_code = 'no_result' AND u.generation = m.generation AND u.due IS NULL`;

/**
 * Gives the URLs of a settled job that have no result the one that can be read by now. A result that was understood stays, and
 * so does the end of the job: nothing is bought again because the service says something else later. What was charged is not
 * touched. Changes nothing when nobody asks for the job.
 */
export async function readAgain(
  ledger: Ledger,
  account: AccountId,
  reference: Reference,
  { results, jobState, unread, reading, retryFailed }: ReadAgain,
): Promise<Settled> {
  const now = ledger.now();
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const job = await getJob(tx, account, reference);
    const asked = await findAskedJob(tx, account, reference);
    if (asked === null || job.ended_at === null || job.settled_at === null) return settledCounts(tx, job.id);
    await writeResults(tx, ledger, job, results, { onlyOpen: true });
    await fillIn(tx, job.id, jobState);
    await queueChecks(tx, job.id, now, HAS_NO_RESULT);
    await complete(tx, job.id, now, HAS_NO_RESULT);
    await fail(tx, job.id, job.ended_at, retryFailed, HAS_NO_RESULT);
    await tx.run(sql`UPDATE batches SET job_state = ${jobState} WHERE id = ${job.id}`);
    await countResults(tx, job.id);
    const settled = await settledCounts(tx, job.id);
    await recordTried(tx, asked, { unread, reading, openUrls: settled.open });
    return settled;
  });
}
