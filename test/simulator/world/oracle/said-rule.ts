import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';

/** What a plan, a hold or an approval showed to who decided about it. */
export interface Promised {
  readonly run: string;
  /** What showed it: "the plan". */
  readonly by: string;
  /** In micro-lira. */
  readonly cost: number;
  readonly urls: readonly string[];
}

/** What was said before it was done is what is bought: these pages, for that amount at most. */
export class SaidRule {
  readonly #report: Report;
  readonly #promised = new Map<string, Promised & { readonly pages: ReadonlySet<string> }>();
  readonly #spent = new Map<string, number>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** The last one about a run counts. */
  said(promised: Promised): void {
    this.#promised.set(promised.run, { ...promised, pages: new Set(promised.urls) });
  }

  purchased({ amount, urls, reference, sent: { watch, label } }: Purchase): void {
    const promised = this.#promised.get(label.run ?? '');
    if (promised === undefined) return;
    const spent = (this.#spent.get(promised.run) ?? 0) + amount;
    this.#spent.set(promised.run, spent);
    if (spent > promised.cost)
      this.#report(`${spent} was spent by ${promised.run}, and ${promised.by} said ${promised.cost} (${reference})`, {
        ...{ watch, beyond: spent - promised.cost, cause: promised.by },
      });
    for (const url of urls) {
      if (!promised.pages.has(url))
        this.#report(`${url} was bought by ${promised.run}, and ${promised.by} did not name it (${reference})`, {
          ...{ url, watch, cause: promised.by },
        });
    }
  }
}
