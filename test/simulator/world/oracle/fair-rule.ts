import type { Report } from './breaches.ts';

/** A batch that was never sent, and that nothing holds now. */
export interface Ready {
  readonly watch: string;
  readonly urls: number;
}

export interface Turn {
  /** As the service calls it, and the service level. */
  readonly lane: string;
  readonly key: string;
  readonly watch: string;
  readonly urls: number;
  /** Of the same lane. */
  readonly ready: readonly Ready[];
}

/** What a submission counts besides its URLs, as docs/explanation/rate-limits.md says. */
const SUBMISSION_URLS = 100;

/** So far ahead may a watch be at most that comes from another account: one batch of the largest size. */
const MOST_AHEAD_URLS = 5_000 + SUBMISSION_URLS;

interface Passed {
  /** The smallest batch that has waited since. */
  readonly urls: number;
  /** What each other watch has sent since. */
  readonly by: Map<string, number>;
}

/**
 * Watches of an account share a lane by the URLs that they send, each submission counting 100 more: the batch goes first whose
 * watch has then sent the least. So while a batch may be sent, another watch sends at most as much as that batch counts, and one
 * more batch, by which it may have been behind. A watch that moves to another account or level brings what it has sent there.
 */
export class FairRule {
  readonly #report: Report;
  /** By lane and watch. */
  readonly #passed = new Map<string, Passed>();
  readonly #largest = new Map<string, number>();
  /** Of a watch that has moved: by how much each other one may still pass it. */
  readonly #ahead = new Map<string, Map<string, number>>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** A watch belongs to another account, or buys at another level. */
  moved(watch: string): void {
    this.#ahead.set(watch, new Map());
  }

  sent({ lane, key, watch, urls, ready }: Turn): void {
    const cost = urls + SUBMISSION_URLS;
    const largest = Math.max(cost, this.#largest.get(lane) ?? 0);
    this.#largest.set(lane, largest);
    const waiting = new Map<string, number>();
    for (const each of ready) waiting.set(each.watch, Math.min(each.urls, waiting.get(each.watch) ?? each.urls));
    for (const name of this.#passed.keys()) {
      const [of = '', who = ''] = name.split('\n');
      if (of === lane && (who === watch || !waiting.has(who))) this.#passed.delete(name);
    }
    for (const [who, least] of waiting) {
      if (who === watch) continue;
      const passed = this.#passed.get(`${lane}\n${who}`);
      // It may have become ready after this turn was given.
      if (passed === undefined) this.#passed.set(`${lane}\n${who}`, { urls: least, by: new Map() });
      else this.#pass(passed, Math.max(least, passed.urls), { who, watch, key, cost, largest });
    }
  }

  /** Without a submission that left: a lookup of one of its batches, or a connection that nobody took, is a turn like any other. */
  hadTurn(lane: string, watch: string): void {
    this.#passed.delete(`${lane}\n${watch}`);
  }

  #pass(
    { by }: Passed,
    urls: number,
    { who, watch, key, cost, largest }: { who: string; watch: string; key: string; cost: number; largest: number },
  ): void {
    const sum = (by.get(watch) ?? 0) + cost;
    by.set(watch, sum);
    const most = urls + SUBMISSION_URLS + largest;
    if (sum <= most || this.#isAhead(who, watch, cost)) return;
    this.#report(`${watch} sent ${sum} URLs, submissions counted, while a batch of ${who} could be sent (${key})`, {
      ...{ watch: who, beyond: sum - most },
    });
  }

  #isAhead(who: string, watch: string, cost: number): boolean {
    const left = this.#ahead.get(who);
    if (left === undefined) return false;
    const rest = (left.get(watch) ?? MOST_AHEAD_URLS) - cost;
    left.set(watch, rest);
    return rest >= 0;
  }
}
