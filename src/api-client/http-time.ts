import { getHeader, type ResponseHeaders } from './headers.ts';

/** Upper limit for any wait that a header names: the longest window of the specification, and some. */
export const LONGEST_WAIT_MS = 25 * 3_600_000;

const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME = /^[a-z]{3} [a-z]{3} {1,2}\d{1,2} \d{2}:\d{2}:\d{2} \d{4}$/i;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}/i;
const NUMBER = /^\d{1,15}(\.\d{1,9})?$/;
const SPAN = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9})ms)?$/i;

/**
 * The wait that Retry-After names (RFC 9110 10.2.3), in milliseconds: seconds, also with decimals, or a date, measured
 * by the service's own clock where it reports one. Null when the header is absent or invalid.
 */
export function readRetryAfter(headers: ResponseHeaders, now: number): number | null {
  const exact = getHeader(headers, 'retry-after-ms')?.trim();
  if (exact !== undefined && NUMBER.test(exact)) return bounded(Number(exact));
  const text = getHeader(headers, 'retry-after')?.trim();
  if (text === undefined) return null;
  if (NUMBER.test(text)) return bounded(Number(text) * 1_000);
  const date = parseDate(text);
  return date === null ? null : bounded(date - serverNow(headers, now));
}

/**
 * The time until a rate-limit window resets, in milliseconds. Services write seconds from now, seconds or milliseconds
 * since 1970, a date or "1m30s"; the size of a number tells these apart.
 */
export function readReset(text: string, headers: ResponseHeaders, now: number): number | null {
  const value = text.trim();
  if (NUMBER.test(value)) {
    const number = Number(value);
    if (number >= 1e12) return bounded(number - serverNow(headers, now));
    if (number >= 1e9) return bounded(number * 1_000 - serverNow(headers, now));
    return bounded(number * 1_000);
  }
  const date = parseDate(value);
  if (date !== null) return bounded(date - serverNow(headers, now));
  return parseSpan(value);
}

/** The service's clock when it responded: dates in its headers follow that clock, not ours. */
function serverNow(headers: ResponseHeaders, now: number): number {
  const date = getHeader(headers, 'date');
  return (date === null ? null : parseDate(date.trim())) ?? now;
}

function parseDate(text: string): number | null {
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return null;
  const zoned = ISO_DATE.test(text) && !/(z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text;
  // A date without a zone, as asctime writes it, is in GMT (RFC 9110 5.6.7).
  const time = Date.parse(ASCTIME.test(zoned) ? `${zoned} GMT` : zoned);
  return Number.isNaN(time) ? null : time;
}

function parseSpan(text: string): number | null {
  const match = text === '' ? null : SPAN.exec(text);
  if (match === null) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0, millis = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return bounded((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + millis);
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), LONGEST_WAIT_MS);
}
