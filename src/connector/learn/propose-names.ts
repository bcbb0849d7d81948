import { readBalance } from '../../api-client/read/account.ts';
import { InvalidPayload, isList, isObject, type Json, normalizeName } from '../../api-client/read/fields.ts';
import type { AnswerFormat } from '../../api-client/read/format.ts';
import { asReference } from '../../api-client/read/submission.ts';
import { readTwoWays } from '../../submission/amount-format.ts';
import type { AnswerFieldKey } from '../../submission/answer-fields.ts';
import type { UnreadPart } from '../../submission/unread.ts';
import { formatPath, getAt, type Leaf, listLeaves, type Path } from './leaves.ts';
import { getData, type Received, readJob, readJobs } from './read-values.ts';

/** The names under which a value may stand that no usual name has: one is an answer, several are a question. */
export interface Candidates {
  readonly field: AnswerFieldKey;
  readonly names: readonly string[];
}

/** The format with one more name, before the others. */
export type WithName = (field: AnswerFieldKey, name: string) => AnswerFormat;

const isAddress = (value: Json): boolean => typeof value === 'string' && /^https?:\/\//i.test(value);
const isTime = (value: Json): boolean => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value);
const isWord = (value: Json): value is string =>
  typeof value === 'string' && value.length <= 40 && !isAddress(value) && !isTime(value) && /\p{L}/u.test(value);

/** A path below an object, as the setting has it; null where a list is in between. */
const toName = (path: Path): string | null => (path.every((part) => typeof part === 'string') ? path.join('.') : null);

const toNames = (leaves: readonly Leaf[], below: number): string[] =>
  leaves.flatMap(({ path }) => toName(path.slice(below)) ?? []);

/** The values of one entry of a list, with its place. `at`: the path of the list. */
const listEntry = (answer: Json, at: Path): Leaf[] => {
  const entry = getAt(answer, [...at, 0]);
  return entry === undefined ? [] : listLeaves(entry);
};

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
  const names = toNames(listLeaves(data), 0).filter((name) => isThere(readBalance(data, withName('balance', name))));
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
  const values = isList(entries) ? entries.map((entry) => getAt(entry, path)) : [];
  return values.length > 0 && !values.includes(undefined) && new Set(values).size === values.length;
}

/** The state of a job stands in a field whose word the status map knows. */
function findState(data: Json, state: string | null, at: Path | null, { statuses }: AnswerFormat): Candidates[] {
  if (state !== null || at === null) return [];
  const known = listEntry(data, at).filter(({ value }) => isWord(value) && isKnownState(statuses.job(value)));
  const names = toNames(known, 0);
  return names.length === 0 ? [] : [{ field: 'state', names }];
}

const STATES = ['queued', 'processing', 'completed', 'partial', 'failed'];
const isKnownState = (state: string | null): boolean => state !== null && STATES.includes(state);

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
  if (isUnread('url_address'))
    return [
      {
        field: 'url',
        names: toNames(
          entry.filter(({ value }) => isAddress(value)),
          0,
        ),
      },
    ];
  if (!isUnread('url_state')) return [];
  const words = entry.filter(
    ({ value, path }) => isWord(value) && !format.names.reason.includes(normalizeName(formatPath(path))),
  );
  const known = words.filter(({ value }) => format.statuses.knowsUrl(String(value)));
  return [{ field: 'url_state', names: toNames(known.length > 0 ? known : words, 0) }];
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
