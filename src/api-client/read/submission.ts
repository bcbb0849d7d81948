import type { Micros } from '../../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../../contract/states.ts';
import type { AcceptedData } from '../../submission/answer.ts';
import type { Reference } from '../../submission/ids.ts';
import type { StatusMapping, UrlState } from '../../submission/status-map.ts';
import { mergeUnread, type Unread, type UnreadPart } from '../../submission/unread.ts';
import {
  asCount,
  asSentence,
  asText,
  asWord,
  getField,
  InvalidPayload,
  indexFields,
  isObject,
  type Json,
  type JsonObject,
  readFirst,
} from './fields.ts';
import type { AnswerFormat } from './format.ts';
import { type Listed, openAttributes, type Page, type PageRequest, readList, readWholeList } from './list.ts';
import { findOtherCurrency, indexInside } from './money.ts';
import { latestInstant } from './time.ts';

/** A job as the list and the detail show it. Null where the service does not show a field. */
export interface SubmissionView {
  readonly reference: Reference;
  /** One of the five states (spec 3); an unmapped status stays as it is, in lower case. */
  readonly state: string | null;
  readonly project: string | null;
  /** The latest possible time, in milliseconds since 1970. */
  readonly createdAt: number | null;
  readonly urlCount: number | null;
  readonly completed: number | null;
  readonly failed: number | null;
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  readonly service: ServiceLevel | null;
}

/** Whether a job's counts say that all its URLs are completed; null where the service shows no counts. */
export function areAllCompleted({ urlCount, completed, failed }: SubmissionView): boolean | null {
  if (failed !== null && failed > 0) return false;
  if (completed !== null && urlCount !== null) return completed >= urlCount;
  return failed === null ? null : true;
}

export interface UrlView {
  readonly url: string;
  readonly state: UrlState;
  /** The service's own status name, for display. */
  readonly statusName: string | null;
  readonly reason: string | null;
}

export interface SubmissionDetail {
  readonly submission: SubmissionView;
  readonly urls: readonly UrlView[];
  readonly page: Page;
  /** What of its URLs cannot be read. */
  readonly unread: Unread;
}

type Fields = ReadonlyMap<string, Json>;

/** Names of a reference where nothing is called so. */
const IDS = ['submissionid', 'jobid', 'id', 'uuid'];
/** Fields with later times in the job's life. */
const LATER = /^(updated|modified|changed|completed|finished|ended|closed|failed|expires?|next|eta|estimated|due)/;

/**
 * A reference that fits in a path and in a message: 1 to 500 characters in any script, with inner spaces, without
 * control characters, not only dots. Kept unchanged: a service may distinguish references by letter case.
 */
export function asReference(value: Json): Reference | null {
  const text = typeof value === 'number' && !Number.isSafeInteger(value) ? null : asText(value);
  const usable = text !== null && /^(?!\.+$)[^\p{C}\p{Zl}\p{Zp}]{1,500}$/u.test(text);
  return usable ? (text as Reference) : null;
}

/** The data of an accepted submission (spec 4.6), at `data` or in `data.submission`. */
export function readAccepted(data: Json, format: AnswerFormat): AcceptedData {
  const { names, money, statuses } = format;
  const { outer, job } = findJob(data, format);
  const fields = new Map([...outer, ...job]);
  const both = listMoney(fields, format);
  const charged = readCharge(both, format);
  const pricePerUrl = money.readIn(both, names.price);
  const price = money.readIn(both, ['price']);
  const isInLira = charged !== null || pricePerUrl !== null || price !== null;
  const amounts = [...names.charge, ...names.price, 'price'];
  return {
    reference:
      readFirst(outer, names.reference, asReference) ?? readFirst(job, [...names.reference, ...IDS], asReference),
    state: statuses.job(readState(outer, job, format)),
    charged,
    pricePerUrl,
    price,
    balance: money.readIn(both, names.balance),
    otherCurrency: isInLira ? null : findCurrency(fields, amounts),
    doubtfulAmount: money.findDoubtful(both, names.charge) ?? money.findDoubtful(both, names.price),
    urls: readFirst(job, names.url_count, asCount),
  };
}

const findCurrency = (fields: Fields, amounts: readonly string[]): string | null =>
  findOtherCurrency(fields) ?? readFirst(fields, amounts, (value) => findOtherCurrency(indexFields(value)));

const readState = (outer: Fields, job: Fields, { names }: AnswerFormat): string | null =>
  readFirst(job, names.state, asWord) ?? readFirst(outer, names.state, asWord);

/** A job from the list, whose fields are `around` it; null when the entry has no reference. */
function readSubmission(entry: Json, format: AnswerFormat, around: Fields): SubmissionView | null {
  const { outer, job } = findJob(entry, format, around);
  const names = [...format.names.reference, ...IDS];
  const reference = readFirst(job, names, asReference) ?? readFirst(outer, names, asReference);
  return reference === null ? null : { ...toView(outer, job, format), reference };
}

function toView(outer: Fields, job: Fields, format: AnswerFormat): Omit<SubmissionView, 'reference'> {
  const { names, money, statuses } = format;
  // Some are beside the job; those inside it take precedence.
  const both = new Map([...outer, ...job]);
  const inside = names.counts.map((name) => indexFields(getField(both, name)));
  const counts = new Map([...inside.flatMap((each) => [...each]), ...both]);
  const amounts = listMoney(both, format);
  return {
    state: statuses.job(readState(outer, job, format)),
    project: readFirst(both, names.project, (value) =>
      isObject(value) ? readFirst(indexFields(value), ['name', 'title'], asText) : asText(value),
    ),
    createdAt: readCreatedAt(outer, job, names),
    urlCount:
      readFirst(both, names.url_count, asCount) ??
      inside.map((each) => readFirst(each, [...names.url_count, 'total'], asCount)).find((each) => each !== null) ??
      null,
    completed: readFirst(counts, names.completed, asCount),
    failed: readFirst(counts, names.failed, asCount),
    charged: readCharge(amounts, format),
    // In a list a mere "price" is as likely that of the whole job.
    pricePerUrl: money.readIn(amounts, names.price),
    service: readFirst(both, names.service, asServiceLevel),
  };
}

/** Where the amounts of a job may be: beside its other fields, or in an object of their own. */
const listMoney = (fields: Fields, { names }: AnswerFormat): Fields[] => [
  fields,
  ...names.money.flatMap((name) => {
    const value = getField(fields, name);
    return isObject(value) ? [indexInside(fields, value)] : [];
  }),
];

/** In an object of amounts a mere total is what was charged; beside the other fields of a job it may be anything. */
const readCharge = (
  [fields = new Map(), ...inside]: readonly Fields[],
  { names, money }: AnswerFormat,
): Micros | null => money.readIn([fields, ...inside], names.charge) ?? money.readIn(inside, ['total']);

/** By its usual names, else the earliest time in the job: nothing happens to a job before it is created. */
function readCreatedAt(outer: Fields, job: Fields, { created, times }: AnswerFormat['names']): number | null {
  const places = [job, outer, ...times.map((name) => indexFields(getField(job, name) ?? getField(outer, name)))];
  for (const place of places) {
    const named = readFirst(place, created, latestInstant);
    if (named !== null) return named;
  }
  const shown = [...job].flatMap(([name, value]) => {
    const isTime = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:/.test(value) && !LATER.test(name);
    return (isTime ? latestInstant(value) : null) ?? [];
  });
  return shown.length === 0 ? null : Math.min(...shown);
}

function asServiceLevel(value: Json): ServiceLevel | null {
  const word = asWord(value)?.toLowerCase();
  return SERVICE_LEVELS.find((level) => level === word) ?? null;
}

export interface SubmissionsPage {
  readonly submissions: readonly SubmissionView[];
  readonly page: Page;
}

/** A page of the list (spec 4.5). One unreadable entry invalidates it: it may be the job that the search needs. */
export function readSubmissions(
  data: Json,
  envelope: Json,
  requested: PageRequest,
  format: AnswerFormat,
): SubmissionsPage | InvalidPayload {
  const listed = readWholeList(data, envelope, 'jobs', requested, format);
  if (listed === null) return new InvalidPayload(`without a list of submissions${listNames(data)}`);
  const around = indexFields(data);
  const submissions = listed.items.map((item) => readSubmission(item, format, around));
  if (!submissions.every((submission) => submission !== null))
    return new InvalidPayload('with a submission without reference');
  return { submissions, page: listed.page };
}

const MOST_NAMES = 12;

/** What a payload has in place of what was looked for: whoever asks the service can say it. */
function listNames(data: Json): string {
  const names = isObject(data) ? Object.keys(data).flatMap((name) => asWord(name) ?? []) : [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return names.length === 0 ? '' : ` (it has ${names.slice(0, MOST_NAMES).join(', ')}${more})`;
}

/**
 * The detail of a job (spec 4.7). It may omit its reference but must not name another job. A missing URL list means that
 * the job has no URLs yet.
 */
export function readDetail(
  data: Json,
  envelope: Json,
  requested: PageRequest,
  format: AnswerFormat,
  reference: Reference,
): SubmissionDetail | InvalidPayload {
  if (!isObject(data)) return new InvalidPayload('without data');
  const { outer, job } = findJob(data, format);
  const { reference: names } = format.names;
  const named = readFirst(job, names, asReference) ?? readFirst(outer, names, asReference);
  if (named !== null && named !== reference) return new InvalidPayload(`about ${named} instead of ${reference}`);
  const listed = findUrlList(data, envelope, requested, format);
  const entries = (listed?.items ?? []).map((item) => ({ item, view: readUrl(item, format) }));
  const submission = { ...toView(outer, job, format), reference };
  const unread: Unread =
    listed === null
      ? [{ what: 'url_list', names: [...outer.keys(), ...job.keys()] }]
      : entries.flatMap(({ item, view }) => findUnread(item, view, format.statuses) ?? []);
  return {
    submission,
    urls: entries.flatMap(({ view }) => view ?? []),
    page: listed?.page ?? { last: true, stated: false, total: null, count: 0 },
    unread: mergeUnread(unread, []),
  };
}

/** What of an entry for a URL says nothing to us; null when all of it does. */
function findUnread(item: Json, view: UrlView | null, statuses: StatusMapping): UnreadPart | null {
  const names = isObject(item) ? Object.keys(item) : [];
  if (view === null) return { what: 'url_address', names };
  const { statusName: word } = view;
  if (word === null) return { what: 'url_state', names };
  return statuses.knowsUrl(word) ? null : { what: 'url_word', names: [word] };
}

/** Beside the job or inside it. */
function findUrlList(data: JsonObject, envelope: Json, requested: PageRequest, format: AnswerFormat): Listed | null {
  const opened = openAttributes(data);
  const inner = readFirst(indexFields(opened), format.names.job, asObject);
  return (
    readList(opened, envelope, 'urls', requested, format) ??
    (inner === null ? null : readList(inner, data, 'urls', requested, format))
  );
}

function readUrl(item: Json, { names, statuses }: AnswerFormat): UrlView | null {
  if (typeof item === 'string') return { url: item, state: 'open', statusName: null, reason: null };
  const fields = indexFields(item);
  const url = readFirst(fields, names.url, asAddress);
  if (url === null) return null;
  const word = readFirst(fields, names.url_state, asWord);
  const reason = readFirst(fields, names.reason, (value) =>
    isObject(value) ? readFirst(indexFields(value), ['message', 'code'], asSentence) : asSentence(value),
  );
  return { url, state: statuses.url(word), statusName: word, reason };
}

/** An address that ends in a space was unescaped by the service: without it `?q=%20` would be another page, and bought again. */
const asAddress = (value: Json): string | null =>
  isObject(value)
    ? readFirst(indexFields(value), ['url', 'href'], asAddress)
    : asText(typeof value === 'string' ? value.replace(/(?<=\S) $/, '%20') : value);

const asObject = (value: Json): JsonObject | null => (isObject(value) ? value : null);

/** The payload and the job in it, which may be the same object. `around`: what holds the payload. */
function findJob(
  data: Json,
  { names }: AnswerFormat,
  around: Fields = new Map(),
): { readonly outer: Fields; readonly job: Fields } {
  const outer = indexInside(around, openAttributes(data));
  const inner = readFirst(outer, names.job, asObject);
  return { outer, job: inner === null ? outer : indexInside(outer, inner) };
}
