/**
 * A version of a page: when it says that it changed, and how exactly it says so. One integer: the first moment of the time
 * that a lastmod names, in milliseconds since 1970, times 8, plus the code of its span. 0 is no version. What names no time,
 * and what lies more than a day ahead, is unknown: null.
 */
export type Version = number & { readonly __brand: 'Version' };

/** How exactly a lastmod names a moment: the finer, the smaller. The numbers are stored. */
export const SPAN = { ms: 1, second: 2, minute: 3, day: 4, month: 5, year: 6 } as const;

export type Span = (typeof SPAN)[keyof typeof SPAN];

const DAY_MS = 86_400_000;

/** The length of each span in milliseconds, at most; by its code. */
export const SPAN_MS = [0, 1, 1_000, 60_000, DAY_MS, 31 * DAY_MS, 366 * DAY_MS] as const;

/** A day or more has no zone: it may have begun this much earlier, or end this much later, than in UTC. */
export const SLACK_MS = 14 * 3_600_000;

/** A date-only lastmod may be a day ahead in the time zone that it was written in. */
const FUTURE_MS = DAY_MS;

export const makeVersion = (at: number, span: Span): Version => (at * 8 + span) as Version;

export const getSpan = (version: Version): Span => (version & 7) as Span;

/** The first moment of the time that it names, in milliseconds since 1970. */
export const getStart = (version: Version): number => (version - (version & 7)) / 8;

/** Whether it lies so far ahead of `now` that it is no moment of a change. */
export const isAhead = (version: Version, now: number): boolean => getStart(version) > now + FUTURE_MS;

/** The first moment at which it no longer `isAhead`, in milliseconds since 1970. */
export const getAheadEnd = (version: Version): number => getStart(version) - FUTURE_MS;

/**
 * Whether `a` is certainly later than `b`. Of equal spans the later moment is. Otherwise all of `b` must have passed when `a`
 * begins, in any zone: a day and a moment in it, or a few hours from it, may be one edit. What is unknown is never later, nor
 * is anything later than it. `isLaterSql` (src/ledger/version-sql.ts) is the same in SQL.
 */
export function isLater(a: Version | null, b: Version | null): boolean {
  if (a === null || b === null) return false;
  const spanA = getSpan(a);
  const spanB = getSpan(b);
  if (spanA === spanB) return a > b;
  return getStart(a) - getSlack(spanA) >= getStart(b) + (SPAN_MS[spanB] ?? 0) + getSlack(spanB);
}

const getSlack = (span: Span): number => (span >= SPAN.day ? SLACK_MS : 0);

/** The later one of two; the finer one where neither is certainly later. */
export function toLatest(a: Version | null, b: Version | null): Version | null {
  if (a === null || b === null) return a ?? b;
  if (isLater(b, a)) return b;
  return getSpan(b) < getSpan(a) && !isLater(a, b) ? b : a;
}

/** The same time as a W3C date in UTC, as exactly as it was named. */
export function formatVersion(version: Version): string {
  const text = new Date(getStart(version)).toISOString();
  switch (getSpan(version)) {
    case SPAN.ms:
      return text;
    case SPAN.second:
      return `${text.slice(0, 19)}Z`;
    case SPAN.minute:
      return `${text.slice(0, 16)}Z`;
    case SPAN.day:
      return text.slice(0, 10);
    case SPAN.month:
      return text.slice(0, 7);
    case SPAN.year:
      return text.slice(0, 4);
  }
}
