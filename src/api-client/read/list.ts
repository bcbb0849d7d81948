import {
  asCount,
  asFlag,
  asText,
  getField,
  indexFields,
  isList,
  isObject,
  type Json,
  type JsonObject,
  normalizeName,
  readFirst,
} from './fields.ts';
import type { AnswerFormat } from './format.ts';

/** One page of a list, as far as the service describes it. */
export interface Page {
  /** No page follows this one. */
  readonly last: boolean;
  /** Whether the service said so itself; otherwise a page that is not full counts as the last. */
  readonly stated: boolean;
  /** Entries on all pages; null when unknown. */
  readonly total: number | null;
  /** Entries on this page. */
  readonly count: number;
}

export interface Listed {
  readonly items: readonly Json[];
  readonly page: Page;
}

/** The value of the table that is the list: jobs, URLs of a job, or results of an index-check. */
type ListKey = 'jobs' | 'urls' | 'results';

/**
 * Finds the list in a payload by the usual names, else the only list of objects. Searches one level deep, where
 * paginators put it (`data.submissions.data`). Null means that there is no list, which is not an empty list.
 */
export function readList(
  data: Json,
  envelope: Json,
  list: ListKey,
  requested: PageRequest,
  format: AnswerFormat,
): Listed | null {
  const names = format.names[list];
  const found = findList(data, names, format) ?? findEmptyList(data, envelope, names, requested, format);
  return toListed(found, data, envelope, requested, format);
}

/**
 * As `readList`, for a payload that is nothing but a list (spec 4.5), so that its name matters less: the only list of
 * objects may be inside anything (`_embedded.orders`), and the only list at all may be empty (`requests: []`).
 */
export function readWholeList(
  data: Json,
  envelope: Json,
  list: ListKey,
  requested: PageRequest,
  format: AnswerFormat,
): Listed | null {
  const findOnly = () => findOnlyList(data, true, format) ?? findOnlyList(data, false, format);
  return readList(data, envelope, list, requested, format) ?? toListed(findOnly(), data, envelope, requested, format);
}

const toListed = (
  found: Found | null,
  data: Json,
  envelope: Json,
  requested: PageRequest,
  format: AnswerFormat,
): Listed | null =>
  found === null
    ? null
    : {
        items: zipColumns(found).map(toEntry),
        page: readPage([found.around, data, envelope], found.items.length, requested, format),
      };

/** Lists beside the entries. */
const ASIDE = ['errors', 'warnings', 'messages', 'notices', 'links', 'filters', 'facets', 'sort', 'included', 'tags'];

/**
 * The only list in a payload whose names say nothing, up to two levels deep. A list in a page's information or beside the
 * entries does not count. An empty one must be alone: beside an object, which may hold the entries, nobody can tell.
 */
function findOnlyList(data: Json, isFull: boolean, { names }: AnswerFormat): Found | null {
  const isCounted = (value: Json): value is readonly Json[] =>
    isList(value) && (isFull ? value.length > 0 && value.every(isObject) : value.length === 0);
  const collect = (node: Json, depth: number): Found[] =>
    [...indexFields(node)].flatMap(([name, value]): Found[] => {
      if (ASIDE.includes(name) || names.page_info.includes(name)) return [];
      if (isCounted(value)) return [{ items: value, around: node }];
      // Of anything else an empty list may be a part.
      if (!isFull && !isObject(value) && isList(value)) return [UNCLEAR, UNCLEAR];
      if (!isObject(value) || depth === 0) return [];
      const inner = collect(value, depth - 1);
      return !isFull && inner.length === 0 ? [UNCLEAR, UNCLEAR] : inner;
    });
  const found = collect(data, 2);
  return found.length === 1 ? (found[0] ?? null) : null;
}

const UNCLEAR: Found = { items: [], around: null };

/** The requested page. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

interface Found {
  readonly items: readonly Json[];
  /** The object that holds the list. */
  readonly around: Json;
}

function findList(data: Json, names: readonly string[], format: AnswerFormat, depth = 0): Found | null {
  if (isList(data)) return { items: data, around: null };
  if (!isObject(data)) return null;
  const fields = indexFields(data);
  for (const name of names) {
    const value = getField(fields, name);
    if (isList(value)) return { items: value, around: data };
    if (isObject(value) && depth < 2) {
      const grouped = listGrouped(value, names);
      if (grouped !== null) return { items: grouped, around: data };
      const inner = findList(value, names, format, depth + 1);
      if (inner !== null) return inner;
      const entries = listEntries(value) ?? findKeyed(value, format);
      if (entries !== null) return { items: entries, around: data };
    }
  }
  const lists = [...fields.values()].filter((value) => isList(value) && value.length > 0 && value.every(isObject));
  return lists.length === 1 ? { items: lists[0] as readonly Json[], around: data } : null;
}

/**
 * Some services omit an empty list; that counts only together with a total of zero. One whose lists are maps shows an empty
 * map, also between other pages; that counts where the service states which page it is.
 */
function findEmptyList(
  data: Json,
  envelope: Json,
  names: readonly string[],
  requested: PageRequest,
  format: AnswerFormat,
): Found | null {
  const { total, stated } = readPage([data, envelope], 0, requested, format);
  if (total === 0) return { items: [], around: data };
  const fields = indexFields(data);
  const isEmptyMap = names.some((name) => {
    const value = getField(fields, name);
    return isObject(value) && Object.keys(value).length === 0;
  });
  return stated && isEmptyMap ? { items: [], around: data } : null;
}

/** `{ "rows": [[1, "https://…"]], "rows_columns": ["n", "url"] }`: entries as rows, with the names of their columns beside. */
function zipColumns({ items, around }: Found): readonly Json[] {
  if (!items.some(isList)) return items;
  const columns = [...indexFields(around)].find(([name, value]) => name.endsWith('columns') && isList(value))?.[1];
  if (!isList(columns)) return items;
  return items.map((item) =>
    isList(item) ? Object.fromEntries(columns.map((column, at) => [String(column), item[at] ?? null])) : item,
  );
}

/** `{ "edges": [{ "node": … }] }`, and the fields of JSON:API. */
export function toEntry(item: Json): Json {
  const node = isObject(item) ? item.node : undefined;
  return isObject(node) && Object.keys(item as JsonObject).every((key) => key === 'node' || key === 'cursor')
    ? openAttributes(node)
    : openAttributes(item);
}

/** JSON:API puts every field but `id` and `type` into `attributes`; what is there takes precedence. */
export function openAttributes(item: Json): Json {
  const inner = isObject(item) ? item.attributes : undefined;
  return isObject(item) && isObject(inner) ? { ...item, ...inner } : item;
}

/** `{ "3": {…}, "7": {…} }` or `{ "SUB-1": {…} }`: a list whose keys are positions or references. */
function findKeyed(value: JsonObject, format: AnswerFormat): Json[] | null {
  const entries = Object.entries(value);
  if (entries.length === 0 || !entries.every(([, entry]) => isObject(entry) && isRecord(entry, format))) return null;
  return entries.map(([key, entry]) => (/^\d{1,6}$/.test(key) ? entry : { reference: key, ...(entry as JsonObject) }));
}

/** Page information is not an entry: an entry has a state, a name or an address. */
const isRecord = (entry: JsonObject, { names }: AnswerFormat): boolean => {
  const fields = indexFields(entry);
  return [...names.state, ...names.reference, 'url', 'id'].some((name) => fields.has(name));
};

/** Converts `{ "https://…": "done" }` to a list of entries with their URL. */
function listEntries(value: Json): Json[] | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  if (entries.length === 0 || !entries.every(([key]) => /^https?:\/\//i.test(key))) return null;
  return entries.map(([url, state]) => {
    if (isObject(state)) return { url, ...state };
    // A number is a verdict only where nothing else is said of the URL.
    return asFlag(state) === null ? { url, state } : { url, state, found: state };
  });
}

/** Converts `{ "hits": ["https://…"], "misses": [] }` to the results of a check, by the groups that `isVerdict` knows. */
export function listVerdicts(data: Json, isVerdict: (name: string) => boolean): Json[] {
  const isAddresses = (value: Json): value is readonly string[] =>
    isList(value) && value.length > 0 && value.every((each) => typeof each === 'string' && /^https?:\/\//i.test(each));
  return Object.entries(isObject(data) ? data : {}).flatMap(([name, urls]) =>
    isAddresses(urls) && isVerdict(name) ? urls.map((url) => ({ url, verdict: name })) : [],
  );
}

/** Converts `{ "done": ["https://…"], "failed": [{ "url": "https://…" }] }` to a list of entries with their state. */
function listGrouped(value: JsonObject, names: readonly string[]): Json[] | null {
  const groups = Object.entries(value);
  if (groups.some(([name]) => names.includes(normalizeName(name)))) return null;
  const entries = groups.flatMap(([state, urls]) =>
    (isList(urls) ? urls : [null]).map((item): Json => {
      if (typeof item === 'string') return /^https?:\/\//i.test(item) ? { url: item, state } : null;
      return isObject(item) && ['url', 'target', 'loc'].some((name) => asText(item[name] ?? null) !== null)
        ? { state, ...item }
        : null;
    }),
  );
  return entries.length > 0 && entries.every(isObject) ? entries : null;
}

function readPage(places: readonly Json[], count: number, requested: PageRequest, { names }: AnswerFormat): Page {
  const maps = places.flatMap((place) => {
    const fields = indexFields(place);
    return [fields, ...names.page_info.map((name) => indexFields(getField(fields, name)))];
  });
  const first = <T>(of: readonly string[], read: (value: Json) => T | null): T | null => {
    for (const fields of maps) {
      const value = readFirst(fields, of, read);
      if (value !== null) return value;
    }
    return null;
  };
  const total = first(names.total, asCount);
  const pages = first(names.pages, asCount);
  const more = first(names.has_more, asFlag);
  const size = first(names.page_size, asCount) ?? requested.limit;
  const next = first(names.next_page, asNext);
  if (more !== null) return { last: !more, stated: true, total, count };
  if (pages !== null) return { last: requested.page >= pages, stated: true, total, count };
  if (total !== null && size > 0) return { last: requested.page * size >= total, stated: true, total, count };
  if (next !== null) return { last: !next, stated: true, total, count };
  return { last: count < size, stated: false, total, count };
}

/** Whether a next page is named; null when the field does not say. */
function asNext(value: Json): boolean | null {
  if (value === null || value === false || value === '') return false;
  return (asText(value) ?? readFirst(indexFields(value), ['href', 'url'], asText)) === null ? null : true;
}
