import type { SubmissionState } from '../../contract/states.ts';
import type { Verdict } from './answer.ts';

/** The state of one URL of a job, from its status. */
export type UrlState = 'completed' | 'failed' | 'open';

/**
 * Maps a service's status words to states and verdicts. The first meaning of a word counts, so an account's own words
 * precede the defaults. `open` words are known and not terminal; an unknown word counts as open too, and is reported.
 */
export interface StatusMap {
  readonly job: Readonly<Record<SubmissionState, readonly string[]>>;
  readonly url: Readonly<Record<UrlState, readonly string[]>>;
  readonly check: Readonly<Record<'found' | 'notFound' | 'unknown', readonly string[]>>;
  /** Terminal states of a job besides the five standard states, kept under their own names. */
  readonly ends: readonly string[];
}

/**
 * Words that services are known to use. The specification defines only the states of a job (2.1, 2.4). Few words mean
 * "failed": a failed URL may be bought again, so an ambiguous word must not map to it.
 */
export const DEFAULT_STATUS_MAP: StatusMap = {
  job: {
    queued: ['queued', 'pending', 'waiting', 'accepted', 'submitted', 'scheduled', 'created', 'received', 'new'],
    processing: ['processing', 'in progress', 'running', 'started', 'working', 'active', 'ongoing'],
    completed: ['completed', 'complete', 'done', 'finished', 'success', 'succeeded'],
    partial: ['partial', 'partially completed', 'partial success', 'partially failed', 'completed with errors'],
    failed: ['failed', 'failure'],
  },
  url: {
    completed: [
      ...['completed', 'complete', 'done', 'success', 'successful', 'succeeded'],
      ...['ok', 'indexed', 'processed', 'finished', 'delivered'],
    ],
    failed: [
      ...['failed', 'failure', 'fail', 'error', 'errored', 'err', 'rejected', 'invalid', 'declined', 'undeliverable'],
    ],
    // Not "submitted": to some services that is how a URL begins, to others how it ends.
    open: [
      ...['queued', 'pending', 'waiting', 'accepted', 'scheduled', 'created', 'received', 'new', 'wait', 'todo'],
      ...['processing', 'in progress', 'running', 'started', 'working', 'active', 'ongoing', 'open'],
    ],
  },
  check: {
    found: ['found', 'indexed', 'in index', 'present', 'listed', 'visible', 'yes', 'true', 'positive', 'hits'],
    notFound: [
      ...['not found', 'not indexed', 'not in index', 'not present', 'not listed', 'unindexed'],
      ...['missing', 'absent', 'no', 'false', 'none', 'negative', 'misses'],
    ],
    unknown: ['unknown', 'undetermined', 'inconclusive'],
  },
  ends: [],
};

/** A status word that the map does not contain, and where it occurred. */
export interface UnknownStatus {
  readonly kind: 'job' | 'url' | 'check';
  readonly statusName: string;
}

/** The status mapping of one account. Calls `onUnknown` once for each unknown word. */
export interface StatusMapping {
  /** One of the five states of the specification; an unknown word in lower case; null when there is no word. */
  job(word: string | null): string | null;
  url(word: string | null): UrlState;
  /** Whether the map has this word of a URL. */
  knowsUrl(word: string): boolean;
  /** The verdict of the first status that is known; a record may hold others, such as "done". Null when none is known. */
  check(statuses: readonly string[]): Verdict | null;
}

const MAX_REPORTED = 100;

export function createStatusMapping(
  words: StatusMap = DEFAULT_STATUS_MAP,
  onUnknown?: (status: UnknownStatus) => void,
): StatusMapping {
  const jobs = new Map<string, string>([
    ...words.ends.map((word) => [normalizeStatus(word), word.toLowerCase()] as const),
    ...toTable(words.job),
  ]);
  const urls = toTable(words.url);
  const checks = toTable(words.check);
  const reported = new Set<string>();
  const report = (kind: UnknownStatus['kind'], word: string) => {
    const id = `${kind} ${normalizeStatus(word)}`;
    if (reported.has(id) || reported.size >= MAX_REPORTED) return;
    reported.add(id);
    onUnknown?.({ kind, statusName: word });
  };
  return {
    job(word) {
      if (word === null) return null;
      const state = jobs.get(normalizeStatus(word));
      if (state === undefined) report('job', word);
      return state ?? word.toLowerCase();
    },
    url(word) {
      if (word === null) return 'open';
      const state = urls.get(normalizeStatus(word));
      if (state === undefined) report('url', word);
      return state ?? 'open';
    },
    knowsUrl: (word) => urls.has(normalizeStatus(word)),
    check(statuses) {
      const verdict = statuses.map((word) => checks.get(normalizeStatus(word))).find((each) => each !== undefined);
      if (verdict === undefined && statuses[0] !== undefined) report('check', statuses[0]);
      return verdict === undefined ? null : verdict === 'notFound' ? 'not-found' : verdict;
    },
  };
}

function toTable<Meaning extends string>(
  words: Readonly<Record<Meaning, readonly string[]>>,
): ReadonlyMap<string, Meaning> {
  const table = new Map<string, Meaning>();
  for (const [meaning, list] of Object.entries(words) as [Meaning, readonly string[]][]) {
    for (const word of list) if (!table.has(normalizeStatus(word))) table.set(normalizeStatus(word), meaning);
  }
  return table;
}

/**
 * Normalizes a status word: "In-Progress", "in_progress" and "inProgress" are equal, as are "TAMAMLANDI", "tamamlandı"
 * and "Tamamlandi" (dotted and dotless i of Turkish, and all diacritics).
 */
export function normalizeStatus(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ı', 'i')
    .toLowerCase()
    .replace(/(?<=[\p{L}\p{N}])[\s._-]+(?=[\p{L}\p{N}])/gu, '')
    .trim();
}

/** Merges an account's status map over the defaults: the account's meaning of a word wins. */
export function mergeStatusMap(own: StatusMapSettings, ends: readonly string[] = []): StatusMap {
  return {
    ends,
    job: mergeMeanings(own.job ?? {}, DEFAULT_STATUS_MAP.job),
    url: mergeMeanings(own.url ?? {}, DEFAULT_STATUS_MAP.url),
    check: mergeMeanings(own.check ?? {}, DEFAULT_STATUS_MAP.check),
  };
}

/** The status map that an account configures. */
export type StatusMapSettings = { readonly [Of in 'job' | 'url' | 'check']?: Partial<StatusMap[Of]> };

/** Keeps the default words, except those that the account maps itself. */
function mergeMeanings<Meaning extends string>(
  own: Partial<Record<Meaning, readonly string[]>>,
  defaults: Readonly<Record<Meaning, readonly string[]>>,
): Readonly<Record<Meaning, readonly string[]>> {
  const taken = new Set(
    Object.values<readonly string[] | undefined>(own).flatMap((list) => (list ?? []).map(normalizeStatus)),
  );
  const merged = Object.entries<readonly string[]>(defaults).map(([meaning, list]) => [
    meaning,
    [...(own[meaning as Meaning] ?? []), ...list.filter((word) => !taken.has(normalizeStatus(word)))],
  ]);
  return Object.fromEntries(merged) as Record<Meaning, readonly string[]>;
}
