import { type CrawlEvent, type CrawlOptions, crawl, type SitemapEntry } from './crawl.ts';
import { SitemapError } from './problems.ts';
import { parseSource } from './source.ts';

/** What a site publishes, as a first configuration needs to know it. */
export interface SiteSurvey {
  /** As named by the user. */
  readonly site: string;
  /** The robots.txt that names the sitemaps, or the sitemap. Null: none was found. */
  readonly source: { readonly kind: 'robots' | 'sitemap'; readonly url: string } | null;
  /** The host that answered for the source, behind its redirects; null when there is none. */
  readonly answeredBy: string | null;
  /** Different pages. */
  readonly urls: number;
  readonly withLastmod: number;
  /** Pages of each host, the most frequent first. */
  readonly hosts: ReadonlyMap<string, number>;
  /** False: a part could not be read, so the counts are too low. */
  readonly complete: boolean;
  /** Why what was tried is no source, or is incomplete: one message for each address, the first 20. */
  readonly problems: readonly { readonly url: string; readonly message: string }[];
}

/** Where sitemaps are when robots.txt names none, most frequent first. */
const USUAL_PLACES = [
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/wp-sitemap.xml',
  '/sitemap-index.xml',
  '/sitemap.xml.gz',
  '/sitemap.txt',
] as const;
const MAX_PROBLEMS = 20;

/**
 * Finds the sitemaps of a site and counts their pages: those that its robots.txt names, else the first of the usual
 * places that is a sitemap. An address with a path is read as the sitemap itself. `onPages` gets the count so far. Of each
 * reading, `makeSeen` makes what says whether a page is new, so that a page that is named twice is one.
 * Throws SitemapError (BAD_URL) for what is no address, and the reason of an aborted signal.
 */
export async function surveySite(
  site: string,
  options: CrawlOptions,
  makeSeen: () => { add(url: string): boolean },
  onPages: (urls: number) => void = () => undefined,
): Promise<SiteSurvey> {
  const address = parseAddress(site);
  const problems: { url: string; message: string }[] = [];
  const read = async (url: string): Promise<Reading> => {
    const reading = await readSource(url, options, makeSeen(), onPages);
    problems.push(...reading.problems.slice(0, MAX_PROBLEMS - problems.length));
    return reading;
  };
  const none = { urls: 0, withLastmod: 0, hosts: new Map<string, number>() };
  const nothing = { source: null, answeredBy: null, ...none, complete: false };
  const toSurvey = (kind: 'robots' | 'sitemap', url: string, { pages, complete, location }: Reading): SiteSurvey => ({
    site,
    source: { kind, url },
    answeredBy: new URL(location).host,
    ...pages,
    hosts: new Map([...pages.hosts].toSorted(([, a], [, b]) => b - a)),
    complete,
    problems,
  });
  if (address.pathname !== '/' && address.pathname !== '/robots.txt') {
    const reading = await read(address.href);
    return reading.isSitemap ? toSurvey('sitemap', address.href, reading) : { site, ...nothing, problems };
  }
  const robots = new URL('/robots.txt', address).href;
  const reading = await read(robots);
  if (reading.isSitemap) return toSurvey('robots', robots, reading);
  for (const place of USUAL_PLACES) {
    const { href } = new URL(place, address);
    const found = await read(href);
    if (found.isSitemap) {
      problems.splice(0, problems.length, ...found.problems);
      return toSurvey('sitemap', href, found);
    }
  }
  return { site, ...nothing, problems };
}

function parseAddress(site: string): URL {
  const source = parseSource(/^[a-z][a-z0-9+.-]*:\/\//i.test(site) ? site : `https://${site}`);
  if (source.kind !== 'http') throw new SitemapError('BAD_URL', `"${site}" is not the address of a site`);
  return new URL(source.name);
}

interface Pages {
  urls: number;
  withLastmod: number;
  readonly hosts: Map<string, number>;
}

interface Reading {
  readonly pages: Pages;
  readonly complete: boolean;
  /** Where redirects led to. */
  readonly location: string;
  /** Whether it is a sitemap, or names at least one; a robots.txt that names none does not count. */
  readonly isSitemap: boolean;
  readonly problems: readonly { readonly url: string; readonly message: string }[];
}

async function readSource(
  url: string,
  options: CrawlOptions,
  seen: { add(url: string): boolean },
  onPages: (urls: number) => void,
): Promise<Reading> {
  const pages: Pages = { urls: 0, withLastmod: 0, hosts: new Map() };
  const problems: { url: string; message: string }[] = [];
  let complete = false;
  let isSitemap = false;
  let location = url;
  for await (const event of crawl([url], options)) {
    if (event.type === 'entries') {
      for (const entry of event.entries) if (entry.url !== null && seen.add(entry.url)) count(pages, entry.url, entry);
      onPages(pages.urls);
    } else if (event.type === 'verdict') {
      isSitemap ||= namesPages(event);
      if (event.sitemap === url && event.verdict === 'complete') location = event.location ?? url;
    } else if (event.type === 'summary') complete = event.complete;
    else if (event.type === 'problem' && event.severity === 'error' && problems.length < MAX_PROBLEMS)
      problems.push({ url: event.sitemap, message: event.message });
  }
  return { pages, complete, location, isSitemap, problems };
}

/** An index or a robots.txt that names no sitemap is never complete. */
function namesPages(event: Extract<CrawlEvent, { type: 'verdict' }>): boolean {
  if (event.verdict === 'duplicate') return false;
  return event.verdict !== 'incomplete' || event.urls > 0 || (event.children?.length ?? 0) > 0;
}

function count(pages: Pages, url: string, { lastmod }: SitemapEntry): void {
  pages.urls += 1;
  if (lastmod !== null) pages.withLastmod += 1;
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  const host = url.slice(start, end === -1 ? undefined : end);
  pages.hosts.set(host, (pages.hosts.get(host) ?? 0) + 1);
}
