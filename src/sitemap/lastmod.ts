const DAY_MS = 86_400_000;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const PLUS = 0x2b;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;

/**
 * Parses a W3C date (the profile of ISO 8601 that sitemaps use): `1997`, `1997-07`, `1997-07-16`, or one with a time to the
 * minute, second or fraction and a zone. Returns its start in UTC as milliseconds since 1970, and null for anything else,
 * including a date that does not exist. Written by hand: a regular expression takes longer than reading the records.
 */
export function parseW3cDate(text: string): number | null {
  const year = digits(text, 0, 4);
  if (year < 0) return null;
  if (text.length === 4) return toMidnight(year, 1, 1);
  const month = text.charCodeAt(4) === DASH ? digits(text, 5, 2) : -1;
  if (text.length === 7) return toMidnight(year, month, 1);
  const day = text.charCodeAt(7) === DASH ? digits(text, 8, 2) : -1;
  const midnight = toMidnight(year, month, day);
  return midnight === null || text.length === 10 ? midnight : withTime(midnight, text);
}

function withTime(midnight: number, text: string): number | null {
  const hour = text.charCodeAt(10) === UPPER_T ? digits(text, 11, 2) : -1;
  const minute = text.charCodeAt(13) === COLON ? digits(text, 14, 2) : -1;
  let second = 0;
  let millis = 0;
  let zone = 16;
  if (text.charCodeAt(16) === COLON) {
    second = digits(text, 17, 2);
    zone = 19;
    if (text.charCodeAt(19) === DOT) {
      zone = 20;
      while (digits(text, zone, 1) >= 0) zone += 1;
      if (zone === 20) return null;
      millis = Math.floor(Number(`0.${text.slice(20, zone)}`) * 1_000);
    }
  }
  const offset = zoneOffset(text, zone);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || offset === null) return null;
  return midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + millis - offset;
}

/** The offset east of UTC in milliseconds of the zone that ends the text; null for none or one that does not exist. */
function zoneOffset(text: string, at: number): number | null {
  const sign = text.charCodeAt(at);
  if (sign === UPPER_Z) return text.length === at + 1 ? 0 : null;
  if ((sign !== PLUS && sign !== DASH) || text.length !== at + 6 || text.charCodeAt(at + 3) !== COLON) return null;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return null;
  return (sign === DASH ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** `count` decimal digits at an index as a number; negative when one is not a digit. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let end = at + count; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
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
