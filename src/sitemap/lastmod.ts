import { CHAR } from '../url/characters.ts';

const DAY_MS = 86_400_000;

/**
 * Parses a W3C date (the profile of ISO 8601 that sitemaps use): `1997`, `1997-07`, `1997-07-16`, or one with a time to the
 * minute, second or fraction and a zone. Returns its start in UTC as milliseconds since 1970, and null for anything else,
 * including a date that does not exist.
 */
export function parseW3cDate(text: string): number | null {
  const bytes = Buffer.from(text);
  return parseW3cDateBytes(bytes, 0, bytes.length);
}

/**
 * The same of UTF-8 bytes, so that reading a record makes no string. Written by hand: a regular expression takes longer
 * than reading the record.
 */
export function parseW3cDateBytes(bytes: Uint8Array, from: number, to: number): number | null {
  const length = to - from;
  const year = length < 4 ? -1 : digits(bytes, from, from + 4);
  if (year < 0) return null;
  if (length === 4) return toMidnight(year, 1, 1);
  const month = length >= 7 && bytes[from + 4] === CHAR.dash ? digits(bytes, from + 5, from + 7) : -1;
  if (length === 7) return toMidnight(year, month, 1);
  const day = length >= 10 && bytes[from + 7] === CHAR.dash ? digits(bytes, from + 8, from + 10) : -1;
  const midnight = toMidnight(year, month, day);
  return midnight === null || length === 10 ? midnight : withTime(midnight, bytes, from + 10, to);
}

/** `from` is the index of the `T`. */
function withTime(midnight: number, bytes: Uint8Array, from: number, to: number): number | null {
  if (to - from < 7 || bytes[from] !== CHAR.upperT || bytes[from + 3] !== CHAR.colon) return null;
  const hour = digits(bytes, from + 1, from + 3);
  const minute = digits(bytes, from + 4, from + 6);
  let second = 0;
  let millis = 0;
  let zone = from + 6;
  if (bytes[zone] === CHAR.colon) {
    if (to - zone < 4) return null;
    second = digits(bytes, zone + 1, zone + 3);
    zone += 3;
    if (bytes[zone] === CHAR.dot) {
      const fraction = zone + 1;
      zone = fraction;
      while (zone < to && digits(bytes, zone, zone + 1) >= 0) zone += 1;
      if (zone === fraction) return null;
      millis = Math.floor(Number(`0.${Buffer.from(bytes.subarray(fraction, zone)).toString('latin1')}`) * 1_000);
    }
  }
  const offset = zoneOffset(bytes, zone, to);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || offset === null) return null;
  return midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + millis - offset;
}

/** The offset east of UTC in milliseconds of the zone from `at` to the end; null for none or one that does not exist. */
function zoneOffset(bytes: Uint8Array, at: number, to: number): number | null {
  if (at >= to) return null;
  const sign = bytes[at];
  if (sign === CHAR.upperZ) return to === at + 1 ? 0 : null;
  if ((sign !== CHAR.plus && sign !== CHAR.dash) || to !== at + 6 || bytes[at + 3] !== CHAR.colon) return null;
  const hours = digits(bytes, at + 1, at + 3);
  const minutes = digits(bytes, at + 4, at + 6);
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return null;
  return (sign === CHAR.dash ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Decimal digits as a number; negative when one is not a digit. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = (bytes[at] ?? 0) - CHAR.zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function toMidnight(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  return daysSince1970(year, month, day) * DAY_MS;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days before each month in a common year. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** `Date.UTC` maps years below 100 to the 20th century, and is slower. */
function daysSince1970(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const thisLeapDay = month > 2 && daysIn(year, 2) === 29 ? 1 : 0;
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

/** The date of an RSS item (RFC 822 with its zone), as milliseconds since 1970; null for anything else. */
export function parseRfc822Date(text: string): number | null {
  const match = RFC_822.exec(text.trim());
  if (match === null) return null;
  const [, day, monthName = '', yearText = '', hour, minute, second, zoneText = ''] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  const year = Number(yearText) + (yearText.length === 4 ? 0 : Number(yearText) < 50 ? 2_000 : 1_900);
  const zone = toIsoZone(zoneText.trim());
  if (month === 0 || zone === null) return null;
  const two = (value: string | undefined) => (value ?? '0').padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${two(String(month))}-${two(day)}`;
  return parseW3cDate(`${date}T${hour}:${minute}:${two(second)}${zone}`);
}

function toIsoZone(zone: string): string | null {
  const numeric = /^([+-]\d\d):?(\d\d)/.exec(zone);
  if (numeric !== null) return `${numeric[1]}:${numeric[2]}`;
  const hours = NAMED_ZONES[zone.toLowerCase()];
  if (hours === undefined) return null;
  return hours === 0 ? 'Z' : `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
}
