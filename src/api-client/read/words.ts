import type { Verdict } from '../../submission/answer.ts';

/** What became of one URL of a job, as far as its word tells. */
export type UrlState = 'completed' | 'failed' | 'open';

/** Which words of the service mean what. An account can set others: the specification does not name them (2.1, 2.4). */
export interface Words {
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly found: readonly string[];
  readonly notFound: readonly string[];
}

export const DEFAULT_WORDS: Words = {
  completed: [
    'completed',
    'complete',
    'done',
    'success',
    'successful',
    'succeeded',
    'ok',
    'indexed',
    'processed',
    'finished',
  ],
  failed: ['failed', 'failure', 'fail', 'error', 'errored', 'rejected', 'invalid', 'declined'],
  found: ['found', 'indexed', 'in_index', 'present', 'listed', 'visible', 'yes', 'true', 'positive'],
  notFound: [
    'not_found',
    'not_indexed',
    'not_in_index',
    'not_present',
    'not_listed',
    'unindexed',
    'missing',
    'absent',
    'no',
    'false',
    'none',
    'negative',
  ],
};

const plain = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
const holds = (words: readonly string[], word: string): boolean => words.some((each) => plain(each) === plain(word));

/**
 * The state of a URL by its word. A word that we do not know counts as open: to call it failed would buy the URL again.
 */
export function urlStateOf(word: string | null, words: Words): UrlState {
  if (word === null) return 'open';
  if (holds(words.failed, word)) return 'failed';
  return holds(words.completed, word) ? 'completed' : 'open';
}

/** The verdict of an index-check by its word. */
export function verdictOf(word: string | null, words: Words): Verdict {
  if (word === null) return 'unknown';
  if (holds(words.notFound, word)) return 'not-found';
  return holds(words.found, word) ? 'found' : 'unknown';
}
