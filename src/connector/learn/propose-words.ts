import type { SubmissionState } from '../../../contract/states.ts';
import type { SubmissionDetail, SubmissionView } from '../../api-client/read/submission.ts';
import type { StatusMapping, UrlState } from '../../submission/status-map.ts';

/** A word that the status map lacks. `meaning`: what the counts of the service prove; null: only you can say. */
export interface UnknownWord<Meaning> {
  readonly word: string;
  readonly meaning: Meaning | null;
}

const MEANINGS: readonly UrlState[] = ['completed', 'failed', 'open'];
/** More words than a service has; each one triples what is tried. */
const MOST_WORDS = 6;

/**
 * What the unknown words of a job's URLs mean, where its own counts or its state allow one meaning only. `detail` has all URLs of
 * the job. Words are never guessed by how they sound: a URL that counts as failed may be bought again.
 */
export function proposeUrlWords(detail: SubmissionDetail, statuses: StatusMapping): UnknownWord<UrlState>[] {
  const words = new Map<string, number>();
  const known: Record<UrlState, number> = { completed: 0, failed: 0, open: 0 };
  for (const { statusName, state } of detail.urls) {
    if (statusName === null || statuses.knowsUrl(statusName)) known[state] += 1;
    else words.set(statusName, (words.get(statusName) ?? 0) + 1);
  }
  const wanted = countUrls(detail);
  const all = [...words];
  const fits: ReadonlyMap<string, UrlState>[] = [];
  const tryWord = (at: number, left: Record<UrlState, number>, chosen: readonly UrlState[]): void => {
    const entry = all[at];
    if (entry === undefined) {
      if (MEANINGS.every((each) => left[each] === 0))
        fits.push(new Map(all.map(([word], n) => [word, chosen[n] ?? 'open'])));
      return;
    }
    for (const meaning of MEANINGS)
      if (left[meaning] >= entry[1])
        tryWord(at + 1, { ...left, [meaning]: left[meaning] - entry[1] }, [...chosen, meaning]);
  };
  if (wanted !== null && all.length <= MOST_WORDS)
    tryWord(
      0,
      {
        completed: wanted.completed - known.completed,
        failed: wanted.failed - known.failed,
        open: wanted.open - known.open,
      },
      [],
    );
  return all.map(([word]) => {
    const meanings = new Set(fits.map((fit) => fit.get(word)));
    return { word, meaning: meanings.size === 1 ? ([...meanings][0] ?? null) : null };
  });
}

/** How many URLs of a job are in each state, as the job says itself; null where it does not, or where the page has not all of them. */
function countUrls({ submission, urls, page }: SubmissionDetail): Record<UrlState, number> | null {
  const all = submission.urlCount ?? page.total ?? (page.last ? urls.length : null);
  if (all === null || all !== urls.length) return null;
  if (submission.state === 'completed') return { completed: all, failed: 0, open: 0 };
  if (submission.state === 'failed') return { completed: 0, failed: all, open: 0 };
  // Accepted and not started: no URL of it is decided.
  if (submission.state === 'queued') return { completed: 0, failed: 0, open: all };
  const isOver = submission.state === 'partial';
  const { completed = null, failed = null } = submission;
  if (completed !== null && failed !== null) return { completed, failed, open: all - completed - failed };
  if (!isOver) return null;
  if (completed !== null) return { completed, failed: all - completed, open: 0 };
  return failed === null ? null : { completed: all - failed, failed, open: 0 };
}

/** What an unknown state of a job means by the counts or the URLs of the job; null where they do not say. */
export function proposeJobWord(
  { submission, urls, page }: SubmissionDetail,
  statuses: StatusMapping,
): SubmissionState | null {
  const all = submission.urlCount ?? page.total ?? (page.last ? urls.length : null);
  if (all === null || all === 0) return null;
  const counts = readCounts(submission) ?? (urls.length === all ? countStates(urls, statuses) : null);
  if (counts === null) return null;
  if (counts.completed + counts.failed < all) return 'processing';
  return counts.failed === 0 ? 'completed' : counts.completed === 0 ? 'failed' : 'partial';
}

const readCounts = ({ completed, failed }: SubmissionView) =>
  completed === null || failed === null ? null : { completed, failed };

/** Null where a URL has a word that nobody knows. */
function countStates(urls: SubmissionDetail['urls'], statuses: StatusMapping) {
  if (!urls.every(({ statusName }) => statusName !== null && statuses.knowsUrl(statusName))) return null;
  const count = (wanted: UrlState) => urls.filter(({ state }) => state === wanted).length;
  return { completed: count('completed'), failed: count('failed') };
}
