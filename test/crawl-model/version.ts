/** A moment and how exactly it is known, in milliseconds; null is unknown. */
export type Version = { readonly at: number; readonly span: number } | null;

const DAY = 86_400_000;
/** The longest there are. */
const MONTH = 31 * DAY;
const YEAR = 366 * DAY;
/** A date behind this one is no moment of an edit. */
const AHEAD = Date.UTC(2900);
const MINUTE = 60_000;
const SECOND = 1_000;
/** A day has no zone. */
const DAY_SLACK = 14 * 3_600_000;

/** Reads a date as sitemaps and feeds write it. What is no date, or lies far ahead, is unknown. */
export function toVersion(text: string | null): Version {
  const at = text === null ? Number.NaN : Date.parse(text);
  if (text === null || Number.isNaN(at) || at > AHEAD) return null;
  if (/^\d{4}$/.test(text)) return { at, span: YEAR };
  if (/^\d{4}-\d\d$/.test(text)) return { at, span: MONTH };
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { at, span: DAY };
  if (/T\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(text)) return { at, span: MINUTE };
  return { at, span: /\.\d+/.test(text) ? 1 : SECOND };
}

const slack = (span: number): number => (span >= DAY ? DAY_SLACK : 0);

/** Whether `a` shows an edit that is not in `b`. */
export function isLater(a: Version, b: Version): boolean {
  if (a === null || b === null) return false;
  if (a.span === b.span) return a.at > b.at;
  return a.at - slack(a.span) >= b.at + b.span + slack(b.span);
}

/** Of two versions the later; of equal ones the one that is known more exactly. */
export function merge(a: Version, b: Version): Version {
  if (a === null || b === null) return a ?? b;
  if (isLater(a, b)) return a;
  if (isLater(b, a)) return b;
  return b.span < a.span ? b : a;
}
