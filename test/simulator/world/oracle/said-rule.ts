import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';

/** What a plan, a hold or a limit showed to who decided about a run. */
export interface Promised {
  readonly run: string;
  /** What showed it: "the plan". */
  readonly by: string;
  /** In micro-lira; null: no price was known. */
  readonly cost: number | null;
  /** Those that it named, or how many; null: it said nothing of them. */
  readonly urls: readonly string[] | number | null;
}

interface Kept extends Promised {
  readonly pages: ReadonlySet<string> | null;
  readonly most: number;
}

/** What was said before it was done is what is bought: these pages, for that amount at most. */
export class SaidRule {
  readonly #report: Report;
  readonly #promised = new Map<string, Kept>();
  readonly #spent = new Map<string, number>();
  readonly #bought = new Map<string, Set<string>>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** The last one about a run counts. */
  said(promised: Promised): void {
    const { run, urls } = promised;
    const pages = urls === null || typeof urls === 'number' ? null : new Set(urls);
    const most = typeof urls === 'number' ? urls : Number.POSITIVE_INFINITY;
    this.#promised.set(run, { ...promised, pages, most });
  }

  purchased({ amount, urls, reference, sent: { watch, label } }: Purchase): void {
    const promised = this.#promised.get(label.run ?? '');
    if (promised === undefined) return;
    const { run, by, cost, pages, most } = promised;
    const bought = this.#bought.get(run) ?? new Set();
    this.#bought.set(run, bought);
    for (const url of urls) bought.add(url);
    const spent = (this.#spent.get(run) ?? 0) + amount;
    this.#spent.set(run, spent);
    if (cost !== null && spent > cost)
      this.#report(`${spent} was spent by ${run}, and ${by} said ${cost} (${reference})`, {
        ...{ watch, beyond: spent - cost, cause: bought.size > most ? `${by}, of more pages` : by },
      });
    if (bought.size > most)
      this.#report(`${bought.size} pages were bought by ${run}, and ${by} said ${most} (${reference})`, {
        ...{ watch, beyond: bought.size - most, cause: `${by}, of more pages` },
      });
    for (const url of pages === null ? [] : urls) {
      if (!pages!.has(url))
        this.#report(`${url} was bought by ${run}, and ${by} did not name it (${reference})`, {
          ...{ url, watch, cause: `${by}, of more pages` },
        });
    }
  }
}
