import { isLater, toLatest, type Version } from '../../url/version.ts';

/** The version that each sitemap has shown last, by its id, as `urls.shown_versions` keeps it. */
type Shown = Readonly<Record<string, Version>>;

/** A page of which several sitemaps show a version that is not bought. */
export interface SharedRow {
  /** The sitemap whose version it has. */
  readonly sitemap_id: number;
  readonly version: Version | null;
  readonly bought_version: Version | null;
  /** A `Shown` as JSON; null where only `sitemap_id` has shown a version that is not bought. */
  readonly shown_versions: string | null;
}

/** What the row of such a page has after a visit. */
export interface SharedVersions {
  /** What the sitemap shows. */
  readonly own: Version;
  readonly version: Version;
  readonly sitemapId: number;
  readonly shown: string | null;
}

/**
 * The version of a page that several sitemaps show, once `sitemapId` shows `version`: the latest of what each of them has shown
 * last. Only a sitemap that shows another one takes its own back: one that no longer lists the page does not. Where `version`
 * may be the edit that the sitemap has shown before, the finer of both is kept. What is not bought takes precedence over what is,
 * though both may be one edit. Pure.
 */
export function showVersion(row: SharedRow, sitemapId: number, version: Version): SharedVersions {
  const before = toShown(row);
  const last = before[sitemapId] ?? null;
  const own = isLater(last, version) ? version : (toLatest(last, version) ?? version);
  const shown: Shown = { ...before, [sitemapId]: own };
  const isPending = (each: Version) => row.bought_version === null || isLater(each, row.bought_version);
  const all = Object.values(shown);
  const pending = all.filter(isPending);
  const latest = (pending.length > 0 ? pending : all).reduce((a, b) => toLatest(a, b) ?? a);
  return {
    own,
    version: latest,
    sitemapId: findSitemap(shown, latest, row.sitemap_id),
    shown: pending.length > 0 ? JSON.stringify(shown) : null,
  };
}

const toShown = ({ shown_versions: shown, sitemap_id: sitemapId, version }: SharedRow): Shown => {
  if (shown !== null) return JSON.parse(shown) as Shown;
  return version === null ? {} : { [sitemapId]: version };
};

/** The sitemap that shows it; of several the one that the page belongs to. */
function findSitemap(shown: Shown, version: Version, current: number): number {
  if (shown[current] === version) return current;
  const first = Object.keys(shown).find((id) => shown[id] === version);
  return first === undefined ? current : Number(first);
}
