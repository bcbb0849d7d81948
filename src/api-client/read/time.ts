import { asText, type Json } from './fields.ts';

const ZONED = /(z|[+-]\d{2}:?\d{2})$/i;
const DAY_MS = 86_400_000;
/** The westernmost time zone: a time without a zone is at most this much later than the same time in UTC. */
const WESTERNMOST_MS = 12 * 3_600_000;

/**
 * A time as a string or as seconds or milliseconds since 1970. A time without a zone or an hour is read as the latest
 * instant that it can mean: the search skips jobs that are older than ours, and must not skip one that may not be.
 */
export function latestInstant(value: Json): number | null {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{10,13}$/.test(value))) {
    const number = Number(value);
    if (number >= 1e11 && number < 1e14) return number;
    return number >= 1e9 && number < 1e11 ? number * 1_000 : null;
  }
  const text = asText(value);
  if (text === null || !/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  const dateOnly = text.length === 10;
  const time = Date.parse(dateOnly || ZONED.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time)) return null;
  if (dateOnly) return time + DAY_MS + WESTERNMOST_MS;
  return ZONED.test(text) ? time : time + WESTERNMOST_MS;
}
