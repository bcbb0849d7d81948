import { CHAR } from '../url/characters.ts';
import { makeVersion, SPAN, type Span, type Version } from '../url/version.ts';

const DAY_MS = 86_400_000;
/** A buffer of its own for each date takes as long as the rest of its record. */
const scratch = Buffer.alloc(150);

/**
 * Parses a W3C date (the profile of ISO 8601 that sitemaps use): `1997`, `1997-07`, `1997-07-16`, or one with a time to the
 * minute, second or fraction and a zone. Returns null for anything else, including a date that does not exist.
 */
export function parseW3cDate(text: string): Version | null {
  if (text.length > scratch.length / 3) {
    const bytes = Buffer.from(text);
    return parseW3cDateBytes(bytes, 0, bytes.length);
  }
  return parseW3cDateBytes(scratch, 0, scratch.write(text));
}

/**
 * The same for UTF-8 bytes, so that reading a record makes no string. Written by hand: a regular expression takes longer
 * than reading the record. Days and seconds are small integers until the end, which V8 keeps out of its heap.
 */
export function parseW3cDateBytes(bytes: Uint8Array, from: number, to: number): Version | null {
  const length = to - from;
  if (length < 4) return null;
  const century = twoDigits(bytes, from);
  const yearOfIt = twoDigits(bytes, from + 2);
  if (century < 0 || yearOfIt < 0) return null;
  const year = century * 100 + yearOfIt;
  const hasMonth = length >= 7 && bytes[from + 4] === CHAR.dash;
  const hasDay = hasMonth && length >= 10 && bytes[from + 7] === CHAR.dash;
  const month = hasMonth ? twoDigits(bytes, from + 5) : 1;
  const day = hasDay ? twoDigits(bytes, from + 8) : 1;
  if (month < 1 || month > 12 || day < 1 || day > countDays(year, month)) return null;
  const days = countDaysSince1970(year, month, day);
  if (length > 10) return hasDay ? withTime(days, bytes, from + 10, to) : null;
  if (hasDay) return makeVersion(days * DAY_MS, SPAN.day);
  if (hasMonth) return length === 7 ? makeVersion(days * DAY_MS, SPAN.month) : null;
  return length === 4 ? makeVersion(days * DAY_MS, SPAN.year) : null;
}

/** `from` is the index of the `T`. */
function withTime(days: number, bytes: Uint8Array, from: number, to: number): Version | null {
  if (to - from < 7 || bytes[from] !== CHAR.upperT || bytes[from + 3] !== CHAR.colon) return null;
  const hour = twoDigits(bytes, from + 1);
  const minute = twoDigits(bytes, from + 4);
  let second = 0;
  let millis = 0;
  let zone = from + 6;
  let span: Span = SPAN.minute;
  if (bytes[zone] === CHAR.colon) {
    if (to - zone < 4) return null;
    second = twoDigits(bytes, zone + 1);
    zone += 3;
    span = SPAN.second;
    if (bytes[zone] === CHAR.dot) {
      const fraction = zone + 1;
      zone = fraction;
      while (zone < to && isDigit(bytes[zone] ?? 0)) zone += 1;
      if (zone === fraction) return null;
      span = SPAN.ms;
      millis = Math.floor(Number(`0.${Buffer.from(bytes.subarray(fraction, zone)).toString('latin1')}`) * 1_000);
    }
  }
  const offset = parseZone(bytes, zone, to);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return null;
  if (offset === NO_ZONE) return null;
  return makeVersion(days * DAY_MS + (((hour * 60 + minute - offset) * 60 + second) * 1_000 + millis), span);
}

const NO_ZONE = 1_440;

/** The minutes east of UTC of the zone from `at` to the end; NO_ZONE for none or one that does not exist. */
function parseZone(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to) return NO_ZONE;
  const sign = bytes[at];
  if (sign === CHAR.upperZ) return to === at + 1 ? 0 : NO_ZONE;
  if ((sign !== CHAR.plus && sign !== CHAR.dash) || to !== at + 6 || bytes[at + 3] !== CHAR.colon) return NO_ZONE;
  const hours = twoDigits(bytes, at + 1);
  const minutes = twoDigits(bytes, at + 4);
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return NO_ZONE;
  const offset = hours * 60 + minutes;
  return sign === CHAR.dash ? -offset : offset;
}

/** Two decimal digits as a number; negative when one is not a digit. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - CHAR.zero;
  const ones = (bytes[at + 1] ?? 0) - CHAR.zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

const isDigit = (byte: number): boolean => byte >= CHAR.zero && byte <= CHAR.zero + 9;

function countDays(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const isLeap = (year: number): boolean => (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Days before each month in a common year. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** In integers: `Date.UTC` maps years below 100 to the 20th century, and is slower. */
function countDaysSince1970(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = (before >> 2) - ((before / 100) | 0) + ((before / 400) | 0);
  const thisLeapDay = month > 2 && isLeap(year) ? 1 : 0;
  return before * 365 + leapDays + (DAYS_BEFORE[month - 1] ?? 0) + thisLeapDay + day - 719_163;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const RFC_822 =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\s+(\d{2}|\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?\s+(.+)$/i;
const NAMED_ZONES: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** The date of an RSS item (RFC 822 with its zone); null for anything else. */
export function parseRfc822Date(text: string): Version | null {
  const match = RFC_822.exec(text.trim());
  if (match === null) return null;
  const [, day, monthName = '', yearText = '', hour, minute, second, zoneText = ''] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  const year = Number(yearText) + (yearText.length === 4 ? 0 : Number(yearText) < 50 ? 2_000 : 1_900);
  const zone = toIsoZone(zoneText.trim());
  if (month === 0 || zone === null) return null;
  const two = (value: string | undefined) => (value ?? '0').padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${two(String(month))}-${two(day)}`;
  return parseW3cDate(`${date}T${hour}:${minute}${second === undefined ? '' : `:${second}`}${zone}`);
}

function toIsoZone(zone: string): string | null {
  const numeric = /^([+-]\d\d):?(\d\d)/.exec(zone);
  if (numeric !== null) return `${numeric[1]}:${numeric[2]}`;
  const hours = NAMED_ZONES[zone.toLowerCase()];
  if (hours === undefined) return null;
  return hours === 0 ? 'Z' : `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
}
