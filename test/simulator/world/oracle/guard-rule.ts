import type { Report } from './breaches.ts';
import type { Delivery, Purchase } from './facts.ts';
import type { Listings } from './listings.ts';
import { toVersion } from './moments.ts';

/** `guard` of a watch: docs/explanation/guards.md. */
export interface GuardPolicy {
  readonly maxGonePercent: number | null;
  readonly maxChanged: number;
  readonly maxChangedPercent: number;
}

/** Fewer changed pages never count in percent. */
const LEAST_CHANGED = 20;

/** The ledger calls the run the first one, and an earlier one was complete. */
const FIRST = ', in a run that is not the first';

export interface GuardSettings {
  readonly report: Report;
  readonly listings: Listings;
  readonly policy: GuardPolicy;
  /** Whether the ledger has this run, and it could read every sitemap. */
  readonly isComplete: (run: string) => boolean;
  readonly hasBought: (url: string, version: string | null) => boolean;
}

interface Counts {
  readonly known: number;
  readonly gone: number;
  readonly changed: number;
}

/**
 * A run that an implausible change holds buys nothing until somebody approves it. How many pages were known is counted high:
 * all that the watch was ever shown. So what is beyond a limit here is beyond it for certain.
 */
export class GuardRule {
  readonly #settings: GuardSettings;
  readonly #approved = new Set<string>();
  readonly #counts = new Map<string, Counts>();

  constructor(settings: GuardSettings) {
    this.#settings = settings;
  }

  /** Somebody approves a run. */
  approved(run: string): void {
    this.#approved.add(run);
  }

  /** Before the purchase counts as one. */
  purchased({ reference, sent: { label, sitemap, watch } }: Purchase): void {
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
    const { maxGonePercent, maxChanged, maxChangedPercent } = this.#settings.policy;
    const counts = this.#counts.get(run) ?? this.#count(run, sitemap, label.plannedAfter);
    this.#counts.set(run, counts);
    const { known, gone, changed } = counts;
    if (maxGonePercent !== null && 100 * gone > maxGonePercent * known)
      report(
        `${run} bought, although ${gone} of at most ${known} pages were gone and nobody has approved that (${reference})`,
        {
          ...{ watch, cause: `gone${label.isFirst === true ? FIRST : ''}` },
        },
      );
    const isTooMany = changed >= LEAST_CHANGED && maxChangedPercent < 100 && 100 * changed > maxChangedPercent * known;
    if (changed > maxChanged || isTooMany)
      report(
        `${run} bought, although ${changed} of at most ${known} pages had changed and nobody has approved that (${reference})`,
        {
          ...{ watch, cause: `changed${label.isFirst === true ? FIRST : ''}` },
        },
      );
  }

  /** What a run was shown beside what the last complete run before it was. */
  #count(run: string, sitemap: string, plannedAfter: number): Counts {
    const { listings, isComplete, hasBought } = this.#settings;
    const none = { known: 0, gone: 0, changed: 0 };
    const current = listings.at(sitemap, plannedAfter).filter(({ isWhole }) => isWhole);
    const own = listings.listAll(sitemap).filter((delivery) => delivery.run === run);
    const first = own[0];
    if (first === undefined || !isComplete(run)) return none;
    const earlier = listings.listAll(sitemap).filter(({ order }) => order < first.order);
    const last = earlier.findLast((each) => isBase(each, first) && isComplete(each.run!));
    if (last === undefined) return none;
    const before = new Map(listings.at(sitemap, last.order).flatMap(({ pages }) => [...pages]));
    const now = new Map(current.flatMap(({ pages }) => [...pages]));
    const known = new Set(earlier.flatMap(({ pages }) => [...pages.keys()])).size;
    let [gone, changed] = [0, 0];
    for (const [url, lastmod] of before) {
      if (!now.has(url)) gone += 1;
      else {
        const [from, to] = [toVersion(lastmod), toVersion(now.get(url)!)];
        if (from !== null && to !== null && from !== to && hasBought(url, from) && !hasBought(url, to)) changed += 1;
      }
    }
    return { known, gone, changed };
  }
}

/** What a run of a watch of the same name was shown: nothing is known in the first one. */
const isBase = ({ isWhole, run, watch }: Delivery, first: Delivery): boolean =>
  isWhole && run !== null && run !== first.run && watch === first.watch;
