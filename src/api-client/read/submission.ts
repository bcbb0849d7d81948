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
  InvalidPayload,
  indexFields,
  isObject,
  type Json,
  type JsonObject,
  readFirst,
} from './fields.ts';
import { type Listed, openAttributes, type Page, type PageRequest, readList, readWholeList } from './list.ts';
import { findOtherCurrency, indexInside, readMoney } from './money.ts';
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

const REFERENCE = ['reference', 'ref', 'submissionreference', 'jobreference', 'referenceid'];
const ID = [...REFERENCE, 'submissionid', 'jobid', 'id', 'uuid'];
const STATE = ['status', 'state', 'submissionstatus', 'jobstatus'];
const JOB = ['submission', 'job', 'item', 'order'];
/** Numbers only: a list of URLs beside a job may be a sample. */
const COUNT = ['urlcount', 'urlscount', 'urltotal', 'totalurls', 'urlstotal', 'urls'];
const CHARGED = [
  'charged',
  'charge',
  'chargedamount',
  'amountcharged',
  'totalcharged',
  'totalcharge',
  'cost',
  'totalcost',
  'totalprice',
  'amount',
];
const UNIT_PRICE = ['priceperurl', 'perurlprice', 'unitprice', 'urlprice'];
const BALANCE = ['balance', 'balanceafter', 'newbalance', 'remainingbalance', 'balanceremaining'];
const AMOUNTS = [...CHARGED, ...UNIT_PRICE, 'price'];
const CREATED = [
  ...['createdat', 'submittedat', 'acceptedat', 'queuedat', 'receivedat', 'openedat', 'placedat', 'orderedat'],
  ...['created', 'submitted', 'accepted', 'queued', 'received', 'opened', 'placed', 'ordered'],
  ...['createdon', 'creationdate', 'createddate', 'creationtime', 'createdtime', 'date', 'timestamp', 'time'],
];
/** Fields with later times in the job's life. */
const LATER = /^(updated|modified|changed|completed|finished|ended|closed|failed|expires?|next|eta|estimated|due)/;
const COUNTS_IN = ['counts', 'progress', 'summary', 'stats', 'urlcounts'];
const COMPLETED = ['completed', 'completedcount', 'completedurls', 'urlscompleted', 'success', 'succeeded', 'done'];
const FAILED = ['failed', 'failedcount', 'failedurls', 'urlsfailed', 'errors', 'rejected'];
const JOBS = [
  ...['submissions', 'items', 'jobs', 'data', 'results', 'records', 'rows', 'list', 'history', 'edges', 'nodes'],
  ...['entries', 'content', 'orders', 'embedded', 'requests'],
];
const URLS = [
  'urls',
  'urlstates',
  'urlstatuses',
  'items',
  'results',
  'states',
  'entries',
  'links',
  'records',
  'data',
  'details',
  'rows',
  'list',
  'content',
  'edges',
  'nodes',
  'perurl',
  'embedded',
];

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
export function readAccepted(data: Json, statusMapping: StatusMapping): AcceptedData {
  const { outer, job } = findJob(data);
  const both = new Map([...outer, ...job]);
  const charged = readMoney(both, CHARGED);
  const pricePerUrl = readMoney(both, UNIT_PRICE);
  const price = readMoney(both, ['price']);
  const isInLira = charged !== null || pricePerUrl !== null || price !== null;
  return {
    reference: readFirst(outer, REFERENCE, asReference) ?? readFirst(job, ID, asReference),
    state: statusMapping.job(readState(outer, job)),
    charged,
    pricePerUrl,
    price,
    balance: readMoney(both, BALANCE),
    otherCurrency: isInLira ? null : readOtherCurrency(both),
    urls: readFirst(job, COUNT, asCount),
  };
}

const readOtherCurrency = (fields: Fields): string | null =>
  findOtherCurrency(fields) ?? readFirst(fields, AMOUNTS, (value) => findOtherCurrency(indexFields(value)));

const readState = (outer: Fields, job: Fields): string | null =>
  readFirst(job, STATE, asWord) ?? readFirst(outer, STATE, asWord);

/** A job from the list, whose fields are `around` it; null when the entry has no reference. */
function readSubmission(entry: Json, statusMapping: StatusMapping, around: Fields): SubmissionView | null {
  const { outer, job } = findJob(entry, around);
  const reference = readFirst(job, ID, asReference) ?? readFirst(outer, ID, asReference);
  return reference === null ? null : { ...toView(outer, job, statusMapping), reference };
}

function toView(outer: Fields, job: Fields, statusMapping: StatusMapping): Omit<SubmissionView, 'reference'> {
  // Some stand beside the job; what is inside it goes before.
  const both = new Map([...outer, ...job]);
  const counts = new Map([...COUNTS_IN.flatMap((name) => [...indexFields(both.get(name))]), ...both]);
  return {
    state: statusMapping.job(readState(outer, job)),
    project: readFirst(
      both,
      ['project', 'projectname', 'projecttitle', 'name', 'title', 'label', 'campaign'],
      (value) => (isObject(value) ? readFirst(indexFields(value), ['name', 'title'], asText) : asText(value)),
    ),
    createdAt: readCreatedAt(outer, job),
    urlCount: readFirst(both, COUNT, asCount),
    completed: readFirst(counts, COMPLETED, asCount),
    failed: readFirst(counts, FAILED, asCount),
    charged: readMoney(both, CHARGED),
    // In a list a mere "price" is as likely that of the whole job.
    pricePerUrl: readMoney(both, UNIT_PRICE),
    service: readFirst(both, ['service', 'servicelevel', 'level', 'tier', 'speed'], asServiceLevel),
  };
}

/** By its usual names, else the earliest time in the job: nothing happens to a job before it is created. */
function readCreatedAt(outer: Fields, job: Fields): number | null {
  const named = readFirst(job, CREATED, latestInstant) ?? readFirst(outer, CREATED, latestInstant);
  if (named !== null) return named;
  const times = [...job].flatMap(([name, value]) => {
    const isTime = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:/.test(value) && !LATER.test(name);
    return (isTime ? latestInstant(value) : null) ?? [];
  });
  return times.length === 0 ? null : Math.min(...times);
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
  statusMapping: StatusMapping,
): SubmissionsPage | InvalidPayload {
  const listed = readWholeList(data, envelope, JOBS, requested);
  if (listed === null) return new InvalidPayload(`without a list of submissions${listNames(data)}`);
  const around = indexFields(data);
  const submissions = listed.items.map((item) => readSubmission(item, statusMapping, around));
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
  statusMapping: StatusMapping,
  reference: Reference,
): SubmissionDetail | InvalidPayload {
  if (!isObject(data)) return new InvalidPayload('without data');
  const { outer, job } = findJob(data);
  const named = readFirst(job, REFERENCE, asReference) ?? readFirst(outer, REFERENCE, asReference);
  if (named !== null && named !== reference) return new InvalidPayload(`about ${named} instead of ${reference}`);
  const listed = findUrlList(data, envelope, requested);
  const entries = (listed?.items ?? []).map((item) => ({ item, view: readUrl(item, statusMapping) }));
  const submission = { ...toView(outer, job, statusMapping), reference };
  const unread: Unread =
    listed === null
      ? [{ what: 'url_list', names: [...outer.keys(), ...job.keys()] }]
      : entries.flatMap(({ item, view }) => findUnread(item, view, statusMapping) ?? []);
  return {
    submission,
    urls: entries.flatMap(({ view }) => view ?? []),
    page: listed?.page ?? { last: true, stated: false, total: null, count: 0 },
    unread: mergeUnread(unread, []),
  };
}

/** What of an entry for a URL says nothing to us; null when all of it does. */
function findUnread(item: Json, view: UrlView | null, statusMapping: StatusMapping): UnreadPart | null {
  const names = isObject(item) ? Object.keys(item) : [];
  if (view === null) return { what: 'url_address', names };
  const { statusName: word } = view;
  if (word === null) return { what: 'url_state', names };
  return statusMapping.knowsUrl(word) ? null : { what: 'url_word', names: [word] };
}

/** Beside the job or inside it. */
function findUrlList(data: JsonObject, envelope: Json, requested: PageRequest): Listed | null {
  const opened = openAttributes(data);
  const inner = readFirst(indexFields(opened), JOB, (value) => (isObject(value) ? value : null));
  return (
    readList(opened, envelope, URLS, requested) ?? (inner === null ? null : readList(inner, data, URLS, requested))
  );
}

function readUrl(item: Json, statusMapping: StatusMapping): UrlView | null {
  if (typeof item === 'string') return { url: item, state: 'open', statusName: null, reason: null };
  const fields = indexFields(item);
  const url = readFirst(fields, ['url', 'link', 'uri', 'loc', 'address', 'href', 'originalurl', 'target'], asText);
  if (url === null) return null;
  const word = readFirst(fields, ['status', 'state', 'result', 'outcome', 'urlstatus'], asWord);
  const reason = readFirst(
    fields,
    ['reason', 'error', 'errormessage', 'message', 'failurereason', 'detail', 'note'],
    (value) => (isObject(value) ? readFirst(indexFields(value), ['message', 'code'], asSentence) : asSentence(value)),
  );
  return { url, state: statusMapping.url(word), statusName: word, reason };
}

/** The payload and the job in it, which may be the same object. `around`: what holds the payload. */
function findJob(data: Json, around: Fields = new Map()): { readonly outer: Fields; readonly job: Fields } {
  const outer = indexInside(around, openAttributes(data));
  const inner = readFirst(outer, JOB, (value) => (isObject(value) ? value : null));
  return { outer, job: inner === null ? outer : indexInside(outer, inner) };
}
