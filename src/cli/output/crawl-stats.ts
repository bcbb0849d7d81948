import type { Static } from 'typebox';
import type { CrawlEvent, SitemapEntry } from '../../sitemap/crawl.ts';
import { getStart } from '../../url/version.ts';
import { SeenPages } from '../seen-pages.ts';
import { formatCount, formatCounted } from './format.ts';
import type { CrawlStatsRecord } from './records/crawl.ts';

const DAY_MS = 86_400_000;
/** Hosts that are counted by name. A hostile site could name a million. */
const MAX_HOSTS = 1_000;
const SHOWN_HOSTS = 20;
const SHOWN_SITEMAPS = 10;
const SHOWN_FOR_PEOPLE = 5;

type Ages = Static<typeof CrawlStatsRecord>['lastmod_ages'];

interface Slow {
  readonly sitemap: string;
  readonly ms: number;
}

/** Counts what a crawl finds: pages, dates, hosts, depth, duplicates, slow sitemaps. */
export class CrawlStats {
  readonly #asOf: () => number;
  readonly #clock: () => number;
  readonly #seen = new SeenPages();
  readonly #hosts = new Map<string, number>();
  readonly #started = new Map<string, number>();
  readonly #depths: number[] = [];
  readonly #ages: Ages = { day: 0, week: 0, month: 0, year: 0, older: 0, future: 0 };
  #slowest: Slow[] = [];
  #urls = 0;
  #duplicates = 0;
  #unusable = 0;
  #dated = 0;
  #invalidDates = 0;
  #otherHosts = 0;
  #origin = '\n';
  #host = '';

  /** `asOf` is the moment that dates are judged by, `clock` measures how long a sitemap takes; both in milliseconds. */
  constructor(asOf: () => number, clock: () => number = () => performance.now()) {
    this.#asOf = asOf;
    this.#clock = clock;
  }

  on(event: CrawlEvent): void {
    if (event.type === 'sitemap') {
      this.#started.set(event.sitemap, this.#clock());
      this.#depths[event.depth] = (this.#depths[event.depth] ?? 0) + 1;
    } else if (event.type === 'entries') {
      const now = this.#asOf();
      for (const entry of event.entries) this.#addEntry(entry, now);
    } else if (event.type === 'verdict') this.#addDuration(event.sitemap);
  }

  #addEntry({ url, lastmod, version }: SitemapEntry, now: number): void {
    if (url === null) {
      this.#unusable += 1;
      return;
    }
    this.#urls += 1;
    if (!this.#seen.add(url)) this.#duplicates += 1;
    this.#addHost(url);
    if (lastmod === null) return;
    this.#dated += 1;
    if (version === null) this.#invalidDates += 1;
    else this.#ages[toAge(now - getStart(version))] += 1;
  }

  #addHost(url: string): void {
    if (!url.startsWith(this.#origin) || url.charCodeAt(this.#origin.length) !== 0x2f) {
      this.#origin = url.slice(0, url.indexOf('/', 8));
      this.#host = new URL(this.#origin).host;
    }
    const count = this.#hosts.get(this.#host);
    if (count === undefined && this.#hosts.size >= MAX_HOSTS) this.#otherHosts += 1;
    else this.#hosts.set(this.#host, (count ?? 0) + 1);
  }

  #addDuration(sitemap: string): void {
    const started = this.#started.get(sitemap);
    if (started === undefined) return;
    this.#started.delete(sitemap);
    this.#slowest.push({ sitemap, ms: Math.max(0, Math.round(this.#clock() - started)) });
    this.#slowest.sort((a, b) => b.ms - a.ms);
    this.#slowest.length = Math.min(this.#slowest.length, SHOWN_SITEMAPS);
  }

  get record(): Static<typeof CrawlStatsRecord> {
    return {
      type: 'crawl_stats',
      urls: this.#urls,
      unique_urls: this.#seen.size,
      duplicates: this.#duplicates,
      relative_urls: this.#unusable,
      lastmods: this.#dated,
      invalid_lastmods: this.#invalidDates,
      lastmod_ages: { ...this.#ages },
      hosts: this.#sortedHosts.slice(0, SHOWN_HOSTS).map(([host, urls]) => ({ host, urls })),
      host_count: this.#hosts.size,
      urls_of_other_hosts: this.#otherHosts,
      sitemaps_by_depth: Array.from(this.#depths, (count) => count ?? 0),
      slowest: this.#slowest.map((slow) => ({ ...slow })),
    };
  }

  get #sortedHosts(): [string, number][] {
    return [...this.#hosts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  }

  /** The same for people. */
  get text(): string {
    const { day, week, month, year, older, future } = this.#ages;
    const hosts = this.#sortedHosts;
    const more = hosts.length - SHOWN_FOR_PEOPLE;
    const named = hosts.slice(0, SHOWN_FOR_PEOPLE).map(([host, urls]) => `${host} ${formatCount(urls)}`);
    const ages = [
      `under a day ${formatCount(day)}`,
      `a week ${formatCount(week)}`,
      `a month ${formatCount(month)}`,
      `a year ${formatCount(year)}`,
      `older ${formatCount(older)}`,
    ];
    return [
      `pages       ${formatCount(this.#seen.size)}, and ${formatCounted(this.#duplicates, 'duplicate')}`,
      ...(this.#unusable === 0 ? [] : [`relative    ${formatCount(this.#unusable)}, which name no page`]),
      `lastmod     ${formatCount(this.#dated)} (${toPercent(this.#dated, this.#urls)}), ${formatCount(this.#invalidDates)} invalid, ${formatCount(future)} in the future`,
      `age         ${ages.join(', ')}`,
      `hosts       ${named.join(', ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`,
      `depth       ${this.#depths.map((count, depth) => `${depth}: ${formatCounted(count, 'sitemap')}`).join(', ')}`,
      ...this.#slowest
        .slice(0, SHOWN_FOR_PEOPLE)
        .map(
          ({ sitemap, ms }, at) => `${at === 0 ? 'slowest' : '       '}     ${(ms / 1_000).toFixed(2)} s ${sitemap}`,
        ),
    ].join('\n');
  }
}

function toAge(ms: number): keyof Ages {
  if (ms < 0) return 'future';
  if (ms < DAY_MS) return 'day';
  if (ms < 7 * DAY_MS) return 'week';
  if (ms < 30 * DAY_MS) return 'month';
  return ms < 365 * DAY_MS ? 'year' : 'older';
}

/** Rounded down: 100% only when nothing is missing. */
const toPercent = (part: number, whole: number) => (whole === 0 ? '0%' : `${Math.floor((part / whole) * 100)}%`);
