import { constants, gunzipSync } from 'node:zlib';
import { Dates } from './dates.ts';
import { merge, toVersion, type Version } from './version.ts';
import type { Answer, Doc, Exchange, Item } from './wire.ts';

const MOST_ATTEMPTS = 3;
const FIN = { breaks: 'fin' };

type Pages = ReadonlyMap<string, Version>;
type DocumentAnswer = Extract<Answer, { kind: 'document' }>;

/** One request for a sitemap, after its redirects. */
interface Attempt {
  readonly location: string;
  readonly exchange: Exchange;
}

/** What the last complete visit of a sitemap showed. */
interface Known {
  readonly etag: string | undefined;
  readonly location: string;
  readonly doc: Doc;
}

/**
 * What must be due and gone after each crawl, from what went over the wire alone. It shares no code with the crawler and the
 * ledger, and knows none of their tables: it is the rules of docs/explanation/sitemaps.md and guards.md as a program.
 */
export class Model {
  readonly #origin: string;
  readonly #sources: readonly string[];
  /** By the path of a sitemap. */
  readonly #known = new Map<string, Known>();
  /** The pages that each sitemap lists. */
  readonly #lists = new Map<string, Pages>();
  readonly #dates = new Dates();
  #alive = new Set<string>();

  constructor(origin: string, sources: readonly string[]) {
    this.#origin = origin;
    this.#sources = sources;
  }

  /** The pages that exist, sorted. */
  get alive(): string[] {
    return [...this.#alive].sort();
  }

  /** The pages that a plan buys now, sorted. */
  get due(): string[] {
    return this.alive.filter((page) => this.#dates.isDue(page));
  }

  buy(pages: readonly string[]): void {
    this.#dates.plan(pages);
    this.#dates.send();
  }

  /**
   * Takes the exchanges of one crawl. `before`: those of an attempt of the same visit that was stopped. `ended`: the paths of its
   * sitemaps in the order in which their visits ended, because the first date of a page that was bought without one is that of the
   * purchase. Returns whether the crawl is complete. Throws what the crawler must not do.
   */
  crawl(exchanges: readonly Exchange[], before: readonly Exchange[], ended: readonly string[]): boolean {
    const stopped = toVisits(before);
    const all = new Map([...stopped, ...toVisits(exchanges)]);
    const visits = new Map([...all].sort(([a], [b]) => ended.indexOf(a) - ended.indexOf(b)));
    let isComplete = true;
    for (const [path, attempts] of visits) if (!this.#visit(path, attempts, stopped.get(path))) isComplete = false;
    const listed = this.#listSitemaps();
    if (listed.some((path) => !visits.has(path))) isComplete = false;
    if (!isComplete) return false;
    for (const path of this.#lists.keys()) {
      if (visits.has(path)) continue;
      this.#lists.delete(path);
      this.#known.delete(path);
    }
    this.#alive = new Set([...this.#lists.values()].flatMap((pages) => [...pages.keys()]));
    return true;
  }

  /** The sources and all that their indexes name. */
  #listSitemaps(): string[] {
    return this.#sources.flatMap((source) => {
      const known = this.#known.get(source);
      const children = known?.doc.format === 'index' ? known.doc.items : [];
      return [source, ...children.map(({ href }) => new URL(href, `${this.#origin}${known?.location}`).pathname)];
    });
  }

  #visit(path: string, attempts: readonly Attempt[], stopped: readonly Attempt[] = []): boolean {
    const last = attempts.at(-1);
    if (last === undefined) return false;
    const { answer, validator } = last.exchange;
    const known = this.#known.get(path);
    if (answer.kind === 'not-modified') {
      if (validator === undefined) return false;
      if (known !== undefined && known.etag === validator && known.location === last.location) return true;
      // The attempt that was stopped has read it to its end.
      const read = stopped.find(({ exchange, location }) => location === last.location && hasEtag(exchange, validator));
      if (read?.exchange.answer.kind !== 'document') {
        throw new Error(`${path} was asked with ${validator}, which no complete visit of it has shown`);
      }
      this.#keep(path, last.location, read.exchange.answer);
      return true;
    }
    if (answer.kind === 'document' && this.#isWhole(answer, attempts, known ?? null, stopped)) {
      this.#keep(path, last.location, answer);
      return true;
    }
    if (isTransient(answer) && attempts.length < MOST_ATTEMPTS) throw new Error(`${path} was given up too early`);
    // Each attempt continues where the one before it broke off, so all of them are one reading of one document.
    for (const { exchange, location } of attempts.toReversed()) {
      if (exchange.answer.kind !== 'document') continue;
      this.#show(path, this.#toPages(cut(exchange.answer), location, exchange.answer.doc));
      break;
    }
    return false;
  }

  #isWhole(
    { doc, framing, broken }: DocumentAnswer,
    attempts: readonly Attempt[],
    known: Known | null,
    stopped: readonly Attempt[],
  ): boolean {
    const isClose = framing.startsWith('close');
    if (broken !== undefined && (!isClose || broken.breaks !== 'fin')) return false;
    const sent = doc.body.subarray(0, broken?.sent);
    if (!isClose) return true;
    if (doc.closes !== null) return broken === undefined || (!doc.isPacked && sent.length >= doc.closes);
    // Lines that only the end of the connection delimits: two readings that end at the same byte, now or since the last visit.
    const [location, ...before] = [attempts.at(-1)?.location, ...toDocuments(attempts.slice(0, -1))];
    const isFirst = before.every((answer) => cut(answer).length === 0);
    if (isFirst && known?.location === location && known?.doc.body.equals(sent) === true) return true;
    if (isFirst && toDocuments(stopped).filter((answer) => isReadingOf(sent, answer)).length > 1) return true;
    const last = attempts.at(-2)?.exchange.answer;
    return last?.kind === 'document' && isReadingOf(sent, last);
  }

  /** A complete visit: what it shows is all there is. */
  #keep(path: string, location: string, { doc, etag }: DocumentAnswer): void {
    this.#known.set(path, { etag, location, doc });
    const pages = this.#toPages(doc.items, location, doc);
    this.#lists.set(path, pages);
    this.#show(path, pages);
  }

  /** Pages exist once they are seen. */
  #show(path: string, pages: Pages): void {
    for (const [page, version] of pages) {
      this.#alive.add(page);
      this.#dates.show(path, page, version);
    }
  }

  /** The pages of a document; of one that is there twice the later version. */
  #toPages(items: readonly Item[], location: string, { format }: Doc): Pages {
    const pages = new Map<string, Version>();
    if (format === 'index') return pages;
    for (const { href, date } of items) {
      const page = new URL(href, `${this.#origin}${location}`).href;
      pages.set(page, merge(pages.get(page) ?? null, toVersion(date)));
    }
    return pages;
  }
}

/** The requests for each sitemap; a redirect and what it leads to are one. */
function toVisits(exchanges: readonly Exchange[]): Map<string, Attempt[]> {
  const visits = new Map<string, Attempt[]>();
  const left = [...exchanges];
  for (let first = left.shift(); first !== undefined; first = left.shift()) {
    let exchange = first;
    while (exchange.answer.kind === 'redirect') {
      const { to } = exchange.answer;
      // Requests for other sitemaps may stand between.
      const at = left.findIndex(({ path }) => path === to);
      if (at === -1) break;
      exchange = left.splice(at, 1)[0]!;
    }
    // The request of a crawl that was stopped before it followed the redirect.
    if (exchange.answer.kind === 'redirect') continue;
    visits.set(first.path, [...(visits.get(first.path) ?? []), { location: exchange.path, exchange }]);
  }
  return visits;
}

const hasEtag = ({ answer }: Exchange, etag: string): boolean =>
  answer.kind === 'document' && answer.etag === etag && answer.broken === undefined;

/** Breaks that a retry may end, whatever came before them. */
function isTransient(answer: Answer): boolean {
  if (answer.kind === 'status') return answer.status >= 500;
  if (answer.kind !== 'document' || answer.broken === undefined) return false;
  return answer.broken.breaks !== 'stall' && !answer.framing.startsWith('close');
}

const toDocuments = (attempts: readonly Attempt[]): DocumentAnswer[] =>
  attempts.map(({ exchange }) => exchange.answer).filter((answer) => answer.kind === 'document');

/** Whether an answer that the end of its connection delimits has ended behind these bytes. */
const isReadingOf = (sent: Buffer, { doc, framing, broken }: DocumentAnswer): boolean =>
  framing.startsWith('close') && (broken ?? FIN).breaks === 'fin' && doc.body.subarray(0, broken?.sent).equals(sent);

/** The items whose records came whole. */
function cut({ doc, broken }: DocumentAnswer): readonly Item[] {
  if (broken === undefined) return doc.items;
  const sent = doc.body.subarray(0, broken.sent);
  const length = doc.isPacked ? unpackedLength(sent) : sent.length;
  return doc.items.filter((_, at) => (doc.ends[at] ?? 0) <= length);
}

function unpackedLength(packed: Buffer): number {
  try {
    return gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).length;
  } catch {
    return 0;
  }
}
