import type { Report } from './breaches.ts';
import type { Delivery, Purchase } from './facts.ts';
import type { Listings } from './listings.ts';
import { toVersion } from './moments.ts';

/** `guard` of a watch: docs/explanation/guards.md. */
export interface GuardPolicy {
  readonly maxNew: number | null;
  readonly maxNewPercent: number | null;
  readonly maxGonePercent: number | null;
  readonly maxChanged: number;
  readonly maxChangedPercent: number;
}

/** Fewer changed pages never count in percent. */
const LEAST_CHANGED = 20;

/** The ledger calls the run the first one, and an earlier one was complete. */
const FIRST = ', in a run that is not the first';
/** The limit holds only where pages that are new to the watch, and listed by another one, count as known before. */
const BESIDE = ', beside pages that moved here';

/** An operator let the ledger forget some pages that the run before was shown. */
const FORGOTTEN = ', in a watch of which pages were forgotten';

export interface GuardSettings {
  readonly report: Report;
  readonly listings: Listings;
  readonly policy: GuardPolicy;
  /** Whether the ledger has this run, and it could read every sitemap. */
  readonly isComplete: (run: string) => boolean;
  readonly hasBought: (url: string, version: string | null) => boolean;
  /** Whether a purchase of a page has failed, or was refused: what is to follow goes to the watch that lists it. */
  readonly hasFailed: (url: string) => boolean;
}

interface Judged {
  /** At most so many pages were known. */
  readonly known: number;
  /** Without those that another sitemap was ever seen to list, where the watch was away since: they have moved there. */
  readonly gone: number;
  /** Others were forgotten. */
  readonly isForgotten: boolean;
  /** Pages that are new to the watch, and that another sitemap was ever seen to list. */
  readonly moved: number;
  /** Pages with another lastmod. */
  readonly changed: ReadonlySet<string>;
  /** Pages that no earlier crawl of the watch was shown; null: this is its first complete run. */
  readonly isNew: ((url: string) => boolean) | null;
  /** Those of them that the run has bought. */
  readonly boughtNew: Set<string>;
  /** Those of them that the run has bought. */
  readonly bought: Set<string>;
}

/** Nothing was known before: no guard counts in percent. */
const UNKNOWN: Judged = {
  ...{ known: 0, gone: 0, isForgotten: false, moved: 0, isNew: null },
  ...{ changed: new Set(), bought: new Set(), boughtNew: new Set() },
};

/**
 * A run that an implausible change holds buys nothing until somebody approves it. How many pages were known is counted high:
 * all that the watch was ever shown; and of changed pages those that the run has bought. So what is beyond a limit here is
 * beyond it for certain.
 */
export class GuardRule {
  readonly #settings: GuardSettings;
  readonly #approved = new Set<string>();
  readonly #judged = new Map<string, Judged>();
  /** Pages, and the last delivery before an operator let the ledger forget them. */
  readonly #forgotten = new Map<string, number>();
  /** Watches of which a run has bought anything: what was given up before that was not the first run. */
  readonly #buyers = new Set<string>();

  /** Watches that were ever configured, and the deliveries after which one of them was not, or was again. */
  readonly #away = new Map<string, number[]>();
  #configured: ReadonlySet<string> = new Set();

  constructor(settings: GuardSettings) {
    this.#settings = settings;
  }

  /** A run has taken an approval: one that never arrived is none. */
  approved(run: string): void {
    this.#approved.add(run);
  }

  /** The approval of a plan was refused. */
  notApproved(run: string): void {
    this.#approved.delete(run);
  }

  /** The watches of the configuration from now on. */
  configure(watches: ReadonlySet<string>): void {
    for (const [name, away] of this.#away)
      if (!watches.has(name) || !this.#configured.has(name)) away.push(this.#settings.listings.order);
    for (const name of watches) if (!this.#away.has(name)) this.#away.set(name, []);
    this.#configured = watches;
  }

  /** The last delivery before this one after which the watch was not configured; -1: it always was. */
  findAway(watch: string, order: number): number {
    return this.#away.get(watch)?.findLast((each) => each < order) ?? -1;
  }

  /** An operator lets the ledger forget pages, which no sitemap lists. */
  forgot(urls: readonly string[]): void {
    for (const url of urls) this.#forgotten.set(url, this.#settings.listings.order);
  }

  /** Before the purchase counts as one. */
  purchased({ reference, urls, sent: { label, sitemap, watch } }: Purchase): void {
    const { run } = label;
    if (run === null || this.#approved.has(run)) return;
    const { report } = this.#settings;
    if (label.isHeld) {
      report(`${reference} was bought by ${run}, which a guard holds and nobody has approved`, {
        watch,
        cause: 'held',
      });
      return;
    }
    const isFirst = label.isFirst === true && !this.#buyers.has(watch);
    const judged = this.#judged.get(run) ?? (isFirst ? UNKNOWN : this.#judge(run, sitemap, label.plannedAfter));
    this.#judged.set(run, judged);
    this.#buyers.add(watch);
    const first = label.isFirst === true ? FIRST : '';
    this.#checkGone(judged, first, `${run} bought`, reference, watch);
    for (const url of urls) {
      if (judged.changed.has(url)) judged.bought.add(url);
      if (judged.isNew?.(url) === true) judged.boughtNew.add(url);
    }
    this.#checkNew(judged, `${run} bought`, reference, watch);
    this.#checkChanged(judged, first, `${run} bought`, reference, watch);
  }

  #checkGone(
    { known, gone, moved, isForgotten }: Judged,
    first: string,
    what: string,
    reference: string,
    watch: string,
  ): void {
    const { report, policy } = this.#settings;
    const limit = policy.maxGonePercent;
    if (limit === null || 100 * gone <= limit * known) return;
    const beside = 100 * gone <= limit * (known + moved) ? BESIDE : '';
    report(
      `${what}, although ${gone} of at most ${known} pages were gone and nobody has approved that (${reference})`,
      { watch, cause: `gone${first}${beside}${isForgotten ? FORGOTTEN : ''}` },
    );
  }

  #checkNew({ known, boughtNew }: Judged, what: string, reference: string, watch: string): void {
    const { report, policy } = this.#settings;
    const { maxNew, maxNewPercent } = policy;
    const isBeyond = boughtNew.size > (maxNew ?? Number.POSITIVE_INFINITY);
    if (!isBeyond && (maxNewPercent === null || 100 * boughtNew.size <= maxNewPercent * known)) return;
    report(`${what} ${boughtNew.size} new pages beside at most ${known}, and nobody has approved that (${reference})`, {
      watch,
      cause: 'new',
    });
  }

  #checkChanged({ known, bought }: Judged, first: string, what: string, reference: string, watch: string): void {
    const { report, policy } = this.#settings;
    const { maxChanged, maxChangedPercent } = policy;
    const changed = bought.size;
    const isTooMany = changed >= LEAST_CHANGED && maxChangedPercent < 100 && 100 * changed > maxChangedPercent * known;
    if (changed <= maxChanged && !isTooMany) return;
    report(`${what} ${changed} changed pages of at most ${known}, and nobody has approved that (${reference})`, {
      watch,
      cause: `changed${first}`,
    });
  }

  /** What a run was shown beside what the last complete run before it was. */
  #judge(run: string, sitemap: string, plannedAfter: number): Judged {
    const { listings, isComplete, hasFailed } = this.#settings;
    const current = listings.at(sitemap, plannedAfter).filter(({ isWhole }) => isWhole);
    const own = listings.listAll(sitemap).filter((delivery) => delivery.run === run);
    const first = own[0];
    if (first === undefined || !isComplete(run)) return UNKNOWN;
    const earlier = listings.listAll(sitemap).filter(({ order }) => order < first.order);
    const last = earlier.findLast((each) => isBase(each, first) && isComplete(each.run!));
    if (last === undefined) return UNKNOWN;
    const isForgotten = (url: string) => (this.#forgotten.get(url) ?? -1) >= last.order;
    const listed = listings.at(sitemap, last.order).flatMap(({ pages }) => [...pages]);
    const before = new Map(listed.filter(([url]) => !isForgotten(url)));
    const now = new Map(current.flatMap(({ pages }) => [...pages]));
    const wasAway = this.findAway(first.watch ?? '', first.order) >= last.order;
    // Also to the watch of the other name, while it was renamed.
    const byOthers = earlier.filter(({ order, watch }) => order > last.order && watch !== first.watch);
    const hasMoved = (url: string) =>
      (wasAway || hasFailed(url)) &&
      (listings.isListedElsewhere(sitemap, url) || byOthers.some(({ pages }) => pages.has(url)));
    const gone = [...before.keys()].filter((url) => !now.has(url) && !hasMoved(url));
    const known = new Set(earlier.flatMap(({ pages }) => [...pages.keys()]));
    return {
      ...{ bought: new Set(), boughtNew: new Set() },
      known: known.size,
      isNew: (url) => !known.has(url),
      gone: gone.length,
      isForgotten: listed.some(([url]) => isForgotten(url)),
      moved: [...now.keys()].filter((url) => !before.has(url) && listings.isListedElsewhere(sitemap, url)).length,
      changed: new Set(
        [...before].filter(([url, from]) => this.#hasChanged(url, from, now.get(url) ?? null)).map(([url]) => url),
      ),
    };
  }

  #hasChanged(url: string, before: string | null, now: string | null): boolean {
    const { hasBought } = this.#settings;
    const [from, to] = [toVersion(before), toVersion(now)];
    return from !== null && to !== null && from !== to && hasBought(url, from) && !hasBought(url, to);
  }
}

/** What a run of a watch of the same name was shown: nothing is known in the first one. */
const isBase = ({ isWhole, run, watch }: Delivery, first: Delivery): boolean =>
  isWhole && run !== null && run !== first.run && watch === first.watch;
