import type { Report } from './breaches.ts';
import type { CheckCharge } from './facts.ts';

/** What `index_check` of a watch says, as docs/explanation/index-checks.md promises it. */
export interface CheckPolicy {
  readonly afterMs: number;
  readonly everyMs: number;
  readonly stopWhenFound: boolean;
  /** Share of the completed pages, 0 to 1. */
  readonly sample: number;
  /** Budget of the checks of a watch for a day, in micro-lira; null: none. */
  readonly perDay: number | null;
}

/** Of a URL, found or not, in micro-lira: fixed by the specification. */
export const CHECK_PRICE = 500_000;

export interface CheckSettings {
  readonly report: Report;
  readonly policy: CheckPolicy;
  /** When the service completed a page, the first time first. */
  readonly listCompletions: (url: string) => readonly number[];
  /** How many pages the service has completed. */
  readonly countCompleted: () => number;
  /** Whether an earlier check of the service has found it. */
  readonly wasFound: (url: string, check: string) => boolean;
  /** The latest time that any clock has shown. */
  readonly getLatestTime: () => number;
  /** No sitemap listed it when crawls last read all of them, and an hour has passed since. */
  readonly isLongGone: (url: string) => boolean;
}

interface Checked {
  readonly at: number;
  readonly id: string;
  /** How many checks were the first after a completion. The connector may read a completion later than a check of an earlier one. */
  readonly firsts: number;
}

/**
 * An index-check costs 0.50 TRY a URL, is made of completed pages of the sample that a sitemap lists, once `after` a completion
 * and then not before `every` has passed, never again once it was found, and within the budget of a day.
 */
export class CheckRule {
  readonly #settings: CheckSettings;
  readonly #checked = new Map<string, Checked>();
  /** Checks that a copy of the ledger lacks: made again as if they had not been. */
  #sinceCopy = new Set<string>();
  readonly #spent = new Map<string, number>();

  constructor(settings: CheckSettings) {
    this.#settings = settings;
  }

  copied(): void {
    this.#sinceCopy = new Set();
  }

  /** A copy came back: no list shows what was checked since. */
  restored(): void {
    for (const url of this.#sinceCopy) this.#checked.delete(url);
    this.#sinceCopy = new Set();
  }

  /** `watch`: by the name under which it spends; `day`: since 1970. */
  charged({ id, amount, urls }: CheckCharge, watch: string, day: number): void {
    const { report, policy } = this.#settings;
    if (amount !== urls.length * CHECK_PRICE)
      report(`${id} cost ${amount}, and ${urls.length} URLs cost ${urls.length * CHECK_PRICE}`, {
        watch,
        cause: 'amount',
      });
    for (const url of urls) this.#checkUrl(url, id, watch);
    this.#checkSample(watch);
    const name = `${watch} ${day}`;
    const spent = (this.#spent.get(name) ?? 0) + amount;
    this.#spent.set(name, spent);
    if (policy.perDay !== null && spent > policy.perDay)
      report(`${spent} was spent for index-checks of ${watch} in a day, of at most ${policy.perDay} (${id})`, {
        ...{ watch, beyond: spent - policy.perDay, cause: 'per_day' },
      });
  }

  /** The check was given back. */
  givenBack(amount: number, watch: string, day: number): void {
    const name = `${watch} ${day}`;
    this.#spent.set(name, (this.#spent.get(name) ?? 0) - amount);
  }

  #checkUrl(url: string, id: string, watch: string): void {
    const { report, policy, listCompletions, wasFound, getLatestTime, isLongGone } = this.#settings;
    const now = getLatestTime();
    const completed = listCompletions(url);
    const before = this.#checked.get(url);
    const wasFoundBefore = before !== undefined && policy.stopWhenFound && wasFound(url, before.id);
    const isDueAgain = before !== undefined && !wasFoundBefore && now - before.at >= policy.everyMs;
    const firsts = (before?.firsts ?? 0) + (isDueAgain ? 0 : 1);
    this.#checked.set(url, { at: now, id, firsts });
    this.#sinceCopy.add(url);
    const about = (cause: string) => ({ url, watch, cause });
    if (completed.length === 0) {
      report(`${url} was checked in the index, and was never completed (${id})`, about('not completed'));
      return;
    }
    if (isLongGone(url))
      report(`${url} was checked in the index, and is gone from the sitemaps (${id})`, about('gone'));
    if (isDueAgain) return;
    if (before !== undefined && firsts > completed.length) {
      if (wasFoundBefore)
        report(`${url} was checked again in the index, and ${before.id} had found it (${id})`, about('found'));
      else
        report(
          `${url} was checked again in the index after ${now - before.at} ms, and is due after ${policy.everyMs} (${id})`,
          {
            ...{ ...about('again'), beyond: policy.everyMs - (now - before.at) },
          },
        );
      return;
    }
    const ago = now - completed[Math.min(firsts, completed.length) - 1]!;
    if (ago < policy.afterMs)
      report(
        `${url} was checked in the index ${ago} ms after its completion, and is due after ${policy.afterMs} (${id})`,
        {
          ...{ ...about('too early'), beyond: policy.afterMs - ago },
        },
      );
  }

  /** Which pages are in the sample is the connector's choice; how many is not: six standard deviations are allowed. */
  #checkSample(watch: string): void {
    const { report, policy, countCompleted } = this.#settings;
    if (policy.sample >= 1) return;
    const completed = countCompleted();
    const { sample } = policy;
    const most = sample * completed + 6 * Math.sqrt(sample * (1 - sample) * completed) + 1;
    if (this.#checked.size > most)
      report(`${this.#checked.size} of ${completed} completed pages were checked, and the sample is ${sample}`, {
        ...{ watch, cause: 'sample' },
      });
  }
}
