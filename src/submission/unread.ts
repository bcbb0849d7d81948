import { formatCounted } from './count.ts';

/** What of a job's answer could not be read. */
export interface UnreadPart {
  /**
   * `url_word`: states of URLs that the status map lacks. `url_state`, `url_address`: entries without a state or without an
   * address under a known name. `url_list`: no list of URLs under a known name.
   */
  readonly what: 'url_word' | 'url_state' | 'url_address' | 'url_list';
  /** The words, else the names of the fields that are there. */
  readonly names: readonly string[];
}

/** At most one part of each kind; empty: all was read. */
export type Unread = readonly UnreadPart[];

/** A service may invent a word for each URL: what is kept of its answer is bounded. */
const MOST_NAMES = 12;
const LONGEST_NAME = 80;

/** Both together, each name once. What holds an address is left out: the ledger must be able to forget addresses. */
export function mergeUnread(a: Unread, b: Unread): Unread {
  const merged = new Map<UnreadPart['what'], readonly string[]>();
  for (const { what, names } of [...a, ...b]) {
    const all = [...(merged.get(what) ?? []), ...names.filter(isKept)];
    merged.set(what, [...new Set(all)].slice(0, MOST_NAMES));
  }
  return [...merged].map(([what, names]) => ({ what, names }));
}

const isKept = (name: string): boolean => name.length <= LONGEST_NAME + 1 && !/:\/\//.test(name);

/** Without the words that a status map knows by now. */
export function withoutKnown(unread: Unread, knowsUrl: (word: string) => boolean): Unread {
  return unread.flatMap(({ what, names }): UnreadPart[] => {
    if (what !== 'url_word') return [{ what, names }];
    const unknown = names.filter((word) => !knowsUrl(word));
    return unknown.length === 0 ? [] : [{ what, names: unknown }];
  });
}

/** The words that the setting `status_map.url` can name. */
export const listUnreadWords = (unread: Unread): readonly string[] =>
  unread.find(({ what }) => what === 'url_word')?.names ?? [];

/** What could not be read, and which setting helps: "the service calls URLs of it "eklendi" …". Null when all was read. */
export function describeUnread(unread: Unread, account: string): string | null {
  const words = listUnreadWords(unread);
  if (words.length > 0) {
    return (
      `the service calls URLs of it ${quote(words)}, which cannot be read. Say under accounts.${account}.status_map.url what ` +
      `${words.length === 1 ? 'the word means' : 'the words mean'}: the job is then read again by itself`
    );
  }
  const [part] = unread;
  return part === undefined
    ? null
    : `${describeFields(part)}. Say under accounts.${account}.field_names.${FIELD[part.what]} what it is called: the job is then ` +
        'read again by itself';
}

/** The setting that names it. */
const FIELD = { url_word: 'url_state', url_state: 'url_state', url_address: 'url', url_list: 'urls' } as const;

function describeFields({ what, names }: UnreadPart): string {
  const has = names.length === 0 ? '' : ` (there is ${names.join(', ')})`;
  if (what === 'url_list') return `the service shows no list of its URLs under a name that can be read${has}`;
  const which = what === 'url_address' ? 'address' : 'state';
  return `the service shows its URLs without ${which === 'state' ? 'a' : 'an'} ${which} that can be read${has}`;
}

const quote = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');

/** What the words of several jobs mean for their URLs, as one sentence for an account. */
export const describeUnreadJobs = (
  account: string,
  { jobs, urls, words, batch }: { jobs: number; urls: number; words: readonly string[]; batch: number },
): string =>
  `${formatCounted(urls, 'URL')} of ${formatCounted(jobs, 'job')} ended in ${words.length === 1 ? 'a word' : 'words'} that cannot be ` +
  `read: ${quote(words)}. They count as bought, and are neither retried nor checked ("courier batches show ${batch}"). Say under ` +
  `accounts.${account}.status_map.url what ${words.length === 1 ? 'it means' : 'they mean'}: the jobs are then read again by themselves`;
