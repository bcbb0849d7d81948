import type { EnvelopeError, NamedUrl } from '../../submission/answer.ts';
import { asCount, asText, indexFields, isList, isObject, type Json, normalizeName, readFirst } from './fields.ts';

/** Where errors keep their details. */
const DETAILS = [
  'details',
  'errors',
  'fields',
  'violations',
  'issues',
  'items',
  'urls',
  'invalidurls',
  'rejectedurls',
  'rejected',
  'invalid',
  'invalidparams',
];
const REQUEST_FIELDS = new Set(['project', 'service', 'idempotencykey']);

/** The error in the envelope (spec 2.6), with the URLs that it names in any form. */
export function readError(envelope: Json): EnvelopeError {
  const outer = indexFields(envelope);
  const error = outer.get('error') ?? null;
  const inner = indexFields(error);
  const message =
    readFirst(inner, ['message', 'detail', 'description'], asText) ?? (typeof error === 'string' ? error : null);
  const complaints = [inner, outer].flatMap((fields) => DETAILS.flatMap((name) => readComplaints(fields.get(name))));
  return {
    code: readFirst(inner, ['code', 'type', 'key'], asText),
    message: shortened(message ?? readFirst(outer, ['message'], asText) ?? ''),
    named: complaints.flatMap(({ url, index, reason }) =>
      url === null && index === null ? [] : [{ url, index, reason }],
    ),
    fields: [...new Set(complaints.flatMap(({ field }) => (field === null ? [] : [field])))],
  };
}

const LONGEST_TEXT = 300;
const shortened = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

interface Complaint extends NamedUrl {
  readonly field: string | null;
}

/** A list of strings or objects, or an object by field (`{ "urls.3": ["…"], "project": ["…"] }`) or by URL. */
function readComplaints(value: Json | undefined): Complaint[] {
  if (isList(value)) return value.flatMap(readComplaint);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, reported]) => {
    if (DETAILS.includes(normalizeName(key)) && typeof reported === 'object') return readComplaints(reported);
    return about(key, readReason(reported));
  });
}

function readComplaint(item: Json): Complaint[] {
  if (typeof item === 'string')
    return isUrl(item) ? [{ url: item, index: null, reason: 'refused by the service', field: null }] : [];
  const fields = indexFields(item);
  const reason = readReason(item);
  const url = readFirst(fields, ['url', 'value', 'input', 'link'], (value) =>
    typeof value === 'string' && isUrl(value) ? value : null,
  );
  if (url !== null) return [{ url, index: null, reason, field: null }];
  // A `position` or a `line` may count from 1: read as an index, it would quarantine a good URL. Bisection finds the
  // bad one.
  const index = readFirst(fields, ['index', 'urlindex'], asCount);
  if (index !== null) return [{ url: null, index, reason, field: null }];
  const path = readFirst(fields, ['field', 'path', 'pointer', 'instancepath', 'loc', 'param', 'name'], (value) =>
    isList(value) ? value.map((part) => asText(part) ?? '').join('/') : asText(value),
  );
  return path === null ? [] : about(path, reason);
}

/** The target of a path: `urls.3`, `urls[3]`, `/urls/3`, `body/urls/3`, a URL itself, or another field. */
function about(path: string, reason: string): Complaint[] {
  if (isUrl(path)) return [{ url: path, index: null, reason, field: null }];
  const place = /(?:^|[./])urls[./[](\d{1,5})\]?$/.exec(path);
  if (place !== null) return [{ url: null, index: Number(place[1]), reason, field: null }];
  const field = normalizeName(path.split(/[./]/).at(-1) ?? '');
  return REQUEST_FIELDS.has(field) ? [{ url: null, index: null, reason, field }] : [];
}

function readReason(value: Json): string {
  const text = isList(value)
    ? asText(value[0] ?? null)
    : isObject(value)
      ? readFirst(indexFields(value), ['reason', 'message', 'error', 'detail', 'msg', 'code'], asText)
      : asText(value);
  return shortened(text ?? 'refused by the service');
}

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
