import type { Delivery } from './facts.ts';
import { toExactness, toMoment, toVersion } from './moments.ts';

const DAY = 86_400_000;
const ENTRY = /<url><loc>([^<]*)<\/loc>(?:<lastmod>([^<]*)<\/lastmod>)?<\/url>/g;

/** The pages of a sitemap, or of what was read of it. */
export function readPages(xml: string): ReadonlyMap<string, string | null> {
  const pages = new Map<string, string | null>();
  for (const [, url = '', lastmod = null] of xml.matchAll(ENTRY)) pages.set(url, lastmod);
  return pages;
}

interface Parsed {
  readonly pages: ReadonlyMap<string, string | null>;
  /** The latest moment of any page. */
  readonly latest: number;
}

function parse(body: string): Parsed {
  const pages = readPages(body);
  return { pages, latest: Math.max(0, ...[...pages.values()].map(readMoment)) };
}

const readMoment = (lastmod: string | null): number => toMoment(toVersion(lastmod)) ?? 0;

/** Without the dates that lie more than a day ahead of the clock that read them: no crawl takes one for the date of a change. */
function hideFuture({ pages, latest }: Parsed, clock: number): ReadonlyMap<string, string | null> {
  const until = clock + DAY;
  if (latest <= until) return pages;
  return new Map([...pages].map(([url, lastmod]) => [url, readMoment(lastmod) > until ? null : lastmod]));
}

/** What a watch listed of a page when a batch was planned. */
export interface Listed {
  /** By each of its files, and by those of which only a part was read since. */
  readonly versions: ReadonlySet<string | null>;
  /** Some whole file lists it, or a part of one that was read later. */
  readonly isListed: boolean;
}

/** What crawls were given, file by file. */
export class Listings {
  readonly #files = new Map<string, Delivery[]>();
  readonly #parsed = new Map<string, Parsed>();
  /** The first version that each sitemap showed of each page. */
  readonly #first = new Map<string, string | null>();
  /** The first version with a date. */
  readonly #firstDated = new Map<string, string>();
  /** When each delivery came, by its order. */
  readonly #times: number[] = [0];
  #order = 0;

  get order(): number {
    return this.#order;
  }

  /** A crawl has a file of a sitemap, or the first part of it. `clock`: what its host's clock shows; absent: it is right. */
  deliver(
    sitemap: string,
    file: string,
    body: string,
    { clock, ...more }: Pick<Delivery, 'isWhole' | 'at' | 'run' | 'watch'> & { readonly clock?: number },
  ): Delivery {
    const parsed = this.#parsed.get(body) ?? parse(body);
    this.#parsed.set(body, parsed);
    const pages = clock === undefined ? parsed.pages : hideFuture(parsed, clock);
    this.#order += 1;
    this.#times.push(more.at);
    const delivery = { order: this.#order, sitemap, file, pages, ...more };
    const deliveries = this.#files.get(file) ?? [];
    this.#files.set(file, deliveries);
    deliveries.push(delivery);
    for (const [url, lastmod] of pages) {
      const name = `${sitemap} ${url}`;
      const version = toVersion(lastmod);
      if (!this.#first.has(name)) this.#first.set(name, version);
      if (version !== null && !this.#firstDated.has(name)) this.#firstDated.set(name, version);
    }
    return delivery;
  }

  /** When a delivery came; 0: before the first one. */
  getTime(order: number): number {
    return this.#times[order] ?? 0;
  }

  /** All that was given of a sitemap, in order. */
  listAll(sitemap: string): readonly Delivery[] {
    const files = [...this.#files.values()].filter(([first]) => first?.sitemap === sitemap);
    return files.length === 1 ? files[0]! : files.flat().toSorted((a, b) => a.order - b.order);
  }

  /** What was given to a run, in order. */
  listRun(run: string): readonly Delivery[] {
    return [...this.#files.values()]
      .flat()
      .filter((delivery) => delivery.run === run)
      .toSorted((a, b) => a.order - b.order);
  }

  /** What was given of the files of a sitemap by then, and by that time: of each the last whole one, and parts that came later. */
  at(sitemap: string, order: number, until = Number.POSITIVE_INFINITY): readonly Delivery[] {
    const found: Delivery[] = [];
    for (const deliveries of this.#files.values()) {
      if (deliveries[0]?.sitemap !== sitemap) continue;
      for (let n = deliveries.length - 1; n >= 0; n--) {
        const delivery = deliveries[n]!;
        if (delivery.order > order || delivery.at > until) continue;
        found.push(delivery);
        if (delivery.isWhole) break;
      }
    }
    return found;
  }

  /** What a sitemap listed of a page then. */
  find(sitemap: string, url: string, order: number, until?: number): Listed {
    const having = this.at(sitemap, order, until).filter(({ pages }) => pages.has(url));
    return { versions: new Set(having.map(({ pages }) => toVersion(pages.get(url)!))), isListed: having.length > 0 };
  }

  /** Whether no file of any sitemap has listed a page since that time, and each was read at least twice since. */
  isGoneSince(url: string, since: number): boolean {
    return [...this.#files.values()].every((deliveries) => {
      const lists = deliveries.findLastIndex(({ pages }) => pages.has(url));
      if (lists < 0) return true;
      const later = deliveries.slice(lists + 1).filter(({ isWhole, at }) => isWhole && at <= since);
      return later.length > 1;
    });
  }

  /** How exactly any sitemap ever dated a page. */
  listExactness(url: string): ReadonlySet<string> {
    const texts = [...this.#files.values()].flat().map(({ pages }) => pages.get(url) ?? null);
    return new Set(texts.filter((text) => text !== null).map(toExactness));
  }

  /** Whether another sitemap was ever seen to list a page. */
  isListedElsewhere(sitemap: string, url: string): boolean {
    return [...this.#files.values()].some(
      (deliveries) => deliveries[0]?.sitemap !== sitemap && deliveries.some(({ pages }) => pages.has(url)),
    );
  }

  /** The first version that a sitemap showed of a page: nothing that a change could be compared with. Undefined: none yet. */
  getFirst(sitemap: string, url: string): string | null | undefined {
    return this.#first.get(`${sitemap} ${url}`);
  }

  /** The first one with a date: a sitemap that begins to write dates changes no page. */
  getFirstDated(sitemap: string, url: string): string | undefined {
    return this.#firstDated.get(`${sitemap} ${url}`);
  }
}
