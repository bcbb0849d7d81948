const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * The version that a lastmod names: a moment in milliseconds, whatever its format; a text that is no date is its own version;
 * null: none is named. What has a time and no zone is read in UTC.
 */
export function toVersion(lastmod: string | null): string | null {
  if (lastmod === null) return null;
  const text = lastmod.includes('T') && !ZONED.test(lastmod) ? `${lastmod}Z` : lastmod;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? lastmod : String(moment);
}

/** The moment of a version in milliseconds; null: it names none. */
export const toMoment = (version: string | null): number | null =>
  version !== null && /^-?\d+$/.test(version) ? Number(version) : null;

/** How exactly a lastmod names its moment: to a fraction of a second, a second, a minute, or a day and more. */
export function toExactness(lastmod: string): 'fraction' | 'second' | 'minute' | 'day' {
  if (!lastmod.includes('T')) return 'day';
  if (/:\d\d\.\d/.test(lastmod)) return 'fraction';
  return /T\d\d:\d\d:\d\d/.test(lastmod) ? 'second' : 'minute';
}
