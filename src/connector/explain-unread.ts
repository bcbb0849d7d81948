import type { Account } from '../config/config.ts';
import { findUnread, listUnreadJobs, type UnreadJob } from '../ledger/jobs/unread-jobs.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { BatchId } from '../submission/ids.ts';
import { createStatusMapping } from '../submission/status-map.ts';
import { describeUnread, describeUnreadJobs, listUnreadWords, withoutKnown } from '../submission/unread.ts';

/** What of a job's answer could not be read, and which setting helps; null when all was. */
export async function explainUnread(ledger: Ledger, account: Account, batch: BatchId): Promise<string | null> {
  const unread = await findUnread(ledger, batch);
  if (unread === null) return null;
  const left = withoutKnown(unread, createStatusMapping(account.statusMap).knowsUrl);
  if (left.length < unread.length)
    return 'its words are understood by now: the job is read again by a worker or the next run';
  return describeUnread(left, account.id);
}

/** The words, else the fields, of an account's jobs that a setting can explain; null without any. */
export async function explainUnreadJobs(ledger: Ledger, account: Account): Promise<string | null> {
  const { knowsUrl } = createStatusMapping(account.statusMap);
  const all = await listUnreadJobs(ledger, account.id);
  const unread = all.flatMap(({ unread: found, ...job }) => {
    const words = listUnreadWords(withoutKnown(found, knowsUrl));
    return words.length === 0 ? [] : [{ ...job, words }];
  });
  const last = unread.at(-1);
  if (last === undefined) return explainFields(all, account);
  return describeUnreadJobs(account.id, {
    jobs: unread.length,
    urls: unread.reduce((sum, { urls }) => sum + urls, 0),
    words: [...new Set(unread.flatMap(({ words }) => words))],
    batch: last.batch,
  });
}

/** A service that shows no URLs at all has nothing to name, so only entries without an address or a state count. */
function explainFields(jobs: readonly UnreadJob[], { id }: Account): string | null {
  const found = jobs.flatMap(({ batch, unread }) =>
    unread.flatMap((part) => (part.what === 'url_address' || part.what === 'url_state' ? [{ batch, part }] : [])),
  );
  const last = found.at(-1);
  return last === undefined ? null : `batch ${last.batch}: ${describeUnread([last.part], id)}`;
}
