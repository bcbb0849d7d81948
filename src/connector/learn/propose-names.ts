import { SUBMISSION_STATES } from '../../../contract/states.ts';
import { readBalance } from '../../api-client/read/account.ts';
import { InvalidPayload, isList, isObject, type Json, normalizeName } from '../../api-client/read/fields.ts';
import type { AnswerFormat } from '../../api-client/read/format.ts';
import { toEntry } from '../../api-client/read/list.ts';
import { asReference } from '../../api-client/read/submission.ts';
import { readTwoWays } from '../../submission/amount-format.ts';
import { ANSWER_FIELD_KEYS, type AnswerFieldKey } from '../../submission/answer-fields.ts';
import type { UnreadPart } from '../../submission/unread.ts';
import { getAt, type Leaf, listLeaves, type Path } from './leaves.ts';
import { getData, type Received, readJob, readJobs } from './read-values.ts';

/** The names under which a value may stand that no usual name has: one is an answer, several are a question. */
export interface Candidates {
  readonly field: AnswerFieldKey;
  readonly names: readonly string[];
  /** Even one name is a question: another field may hold the value, or none. */
  readonly isUnsure?: boolean;
}

/** The format with one more name, before the others. */
export type WithName = (field: AnswerFieldKey, name: string) => AnswerFormat;

const isAddress = (value: Json | undefined): boolean => typeof value === 'string' && /^https?:\/\//i.test(value);
const isTime = (value: Json | undefined): boolean => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value);
const isWord = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.length <= 40 && !isAddress(value) && !isTime(value) && /\p{L}/u.test(value);

/** A path below an object, as the setting has it; null where a list is in between. */
const toName = (path: Path): string | null => (path.every((part) => typeof part === 'string') ? path.join('.') : null);

const toNames = (leaves: readonly Leaf[]): string[] => leaves.flatMap(({ path }) => toName(path) ?? []);

/** The values of the first entry of a list, as the readers open it. `at`: the path of the list. */
function listEntry(data: Json, at: Path): Leaf[] {
  const entry = getAt(data, [...at, 0]);
  // What is in the attributes of JSON:API is read as a field of the entry.
  return entry === undefined ? [] : listLeaves(toEntry(entry)).filter(({ path }) => path[0] !== 'attributes');
}

/** What a response lacks, and under which names it may be there. */
export function findCandidates(received: Received, format: AnswerFormat, withName: WithName): Candidates[] {
  const { request, answer } = received;
  if (request === 'GET /balance') return findBalance(received, format, withName);
  if (request === 'GET /submissions') return findJobs(answer, format, withName);
  if (request === 'GET /submissions/{reference}') return findUrls(received, format);
  return [];
}

function findBalance({ answer }: Received, format: AnswerFormat, withName: WithName): Candidates[] {
  const data = getData(answer);
  // An amount that can be read in two ways has its name.
  const isThere = (read: ReturnType<typeof readBalance>) =>
    !(read instanceof InvalidPayload) || read.what.includes('can be read as');
  if (isThere(readBalance(data, format))) return [];
  const names = toNames(listLeaves(data)).filter((name) => isThere(readBalance(data, withName('balance', name))));
  return [{ field: 'balance', names }];
}

/** Lists of objects in an answer, with their paths. */
function listLists(json: Json, path: Path = [], depth = 3): Path[] {
  if (!isObject(json) || depth === 0) return [];
  return Object.entries(json).flatMap(([key, value]) => {
    if (isList(value)) return value.length > 0 && value.every(isObject) ? [[...path, key]] : [];
    return listLists(value, [...path, key], depth - 1);
  });
}

function findJobs(answer: Json, format: AnswerFormat, withName: WithName): Candidates[] {
  const data = getData(answer);
  const read = readJobs(answer, format);
  if (!(read instanceof InvalidPayload))
    return findState(data, read.submissions[0]?.state ?? null, findListPath(answer, format), format);
  if (/without a list/.test(read.what)) {
    const lists = listLists(data).flatMap((path) => toName(path) ?? []);
    // A list whose entries have a reference is the list of jobs; else any may be.
    const sure = lists.filter((name) => !(readJobs(answer, withName('jobs', name)) instanceof InvalidPayload));
    return [{ field: 'jobs', names: sure.length > 0 ? sure : lists }];
  }
  const at = findListPath(answer, format);
  if (at === null) return [];
  const entries = getAt(data, at);
  const names = listEntry(data, at).flatMap(({ path, value }) => {
    const name = toName(path);
    const isFit = asReference(value) !== null && typeof value !== 'boolean' && !isAddress(value) && !isTime(value);
    return name !== null && isFit && isDifferent(entries, path) ? [name] : [];
  });
  return [{ field: 'reference', names }];
}

/** Whether each entry of a list has a value of its own there. */
function isDifferent(entries: Json | undefined, path: Path): boolean {
  const values = isList(entries) ? entries.map((entry) => getAt(toEntry(entry), path)) : [];
  return values.length > 0 && !values.includes(undefined) && new Set(values).size === values.length;
}

function findState(data: Json, state: string | null, at: Path | null, format: AnswerFormat): Candidates[] {
  if (state !== null || at === null) return [];
  return listStates('state', data, at, format, (word) => STATES.includes(format.statuses.job(word) ?? ''));
}

const STATES: readonly string[] = SUBMISSION_STATES;
const MOST_CODE = 999;

/**
 * The fields of a list's entries that may hold a state: each entry has one. It is sure where the status map knows a word there, or
 * where one field alone has several that entries share, or that are words: what is always the same may be anything.
 */
function listStates(
  field: 'state' | 'url_state',
  data: Json,
  at: Path,
  { names }: AnswerFormat,
  isKnown: (word: string) => boolean,
): Candidates[] {
  const list = getAt(data, at);
  const entries = isList(list) ? list.map(toEntry) : [];
  const others = ANSWER_FIELD_KEYS.filter((key) => key !== 'state' && key !== 'url_state' && key !== 'verdict');
  const isOther = (name: string) => others.some((key) => names[key].includes(normalizeName(name)));
  const isState = (value: Json | undefined) =>
    isWord(value) || (Number.isInteger(value) && Math.abs(Number(value)) <= MOST_CODE);
  const states = listEntry(data, at).flatMap(({ path }) => {
    const name = toName(path);
    const values = entries.map((entry) => getAt(entry, path));
    if (name === null || isOther(name) || !values.every(isState)) return [];
    const words = new Set(values);
    return [
      { name, words, isShared: words.size < values.length || values.every((value) => /^\D+$/.test(String(value))) },
    ];
  });
  const known = states.filter(({ words }) => [...words].some((value) => isWord(value) && isKnown(value)));
  const found = known.length > 0 ? known : states.filter(({ isShared }) => isShared);
  const isUnsure = known.length === 0 && found.some(({ words }) => words.size === 1);
  return found.length === 0 ? [] : [{ field, names: found.map(({ name }) => name), isUnsure }];
}

/** The path of the list that is read, or of the only list. */
function findListPath(answer: Json, { names }: AnswerFormat): Path | null {
  const lists = listLists(getData(answer));
  const named = lists.find((path) => names.jobs.includes(normalizeName(toName(path) ?? '')));
  const inner = lists.find((path) => path.some((part) => names.jobs.includes(normalizeName(String(part)))));
  return named ?? inner ?? (lists.length === 1 ? (lists[0] ?? null) : null);
}

/** The URLs of a job: the list whose entries have addresses, then the address, then the state in it. */
function findUrls({ answer, reference }: Received, format: AnswerFormat): Candidates[] {
  const data = getData(answer);
  const read = reference === undefined ? null : readJob(answer, format, reference);
  if (read === null || read instanceof InvalidPayload) return [];
  const lists = listLists(data).filter((path) => listEntry(data, path).some(({ value }) => isAddress(value)));
  const isUnread = (what: UnreadPart['what']) => read.unread.some((part) => part.what === what);
  if (isUnread('url_list')) return [{ field: 'urls', names: lists.flatMap((path) => toName(path) ?? []) }];
  const [list, ...others] = lists;
  if (list === undefined || others.length > 0) return [];
  const entry = listEntry(data, list);
  if (isUnread('url_address')) return [{ field: 'url', names: toNames(entry.filter(({ value }) => isAddress(value))) }];
  if (!isUnread('url_state')) return [];
  return listStates('url_state', data, list, format, format.statuses.knowsUrl);
}

/** Texts of an answer that are amounts for sure: a currency is beside them, or a name that has money. */
export function listAmountTexts(answer: Json, { names }: AnswerFormat): string[] {
  const money = new Set([...names.balance, ...names.charge, ...names.price, 'amount', 'value', 'available']);
  return listLeaves(answer).flatMap(({ path, value }) => {
    if (typeof value !== 'string' || !/^[-₺\s]*[\d.,]+\s*(₺|tl|try)?$/iu.test(value)) return [];
    const isMoney = /₺|tl|try/i.test(value) || money.has(normalizeName(String(path.at(-1))));
    return isMoney && (readTwoWays(value) !== null || /[.,]/.test(value)) ? [value] : [];
  });
}
