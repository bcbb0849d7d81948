import { isLater, merge, type Version } from './version.ts';

/** What files have shown of pages, and what was bought of them: which pages are due again. */
export class Dates {
  /**
   * The version that each file has shown last, also in visits that broke off: only another one in the same file takes it back.
   * A file that no longer lists the page has not.
   */
  readonly #shown = new Map<string, Map<string, Version>>();
  /** In a batch that waits: it buys what is shown until it is sent. */
  readonly #planned = new Map<string, Version>();
  readonly #bought = new Map<string, Version>();

  show(file: string, page: string, version: Version): void {
    // A page without a date says nothing of an edit.
    if (version === null) return;
    const shown = this.#shown.get(file) ?? new Map<string, Version>();
    const before = shown.get(page) ?? null;
    // What may name the same edit takes nothing back.
    shown.set(page, isLater(before, version) ? version : merge(before, version));
    this.#shown.set(file, shown);
    const bought = this.#bought.get(page);
    if (bought !== undefined && !isLater(version, bought)) this.#bought.set(page, merge(bought, version));
    const planned = this.#planned.get(page);
    if (planned !== undefined) this.#planned.set(page, merge(planned, version));
  }

  /** Never bought, or changed since, and in no batch. */
  isDue(page: string): boolean {
    if (this.#planned.has(page)) return false;
    const bought = this.#bought.get(page);
    if (bought === undefined) return true;
    return this.#shown.values().some((shown) => isLater(shown.get(page) ?? null, bought));
  }

  plan(pages: readonly string[]): void {
    for (const page of pages) {
      const versions = [...this.#shown.values()].map((shown) => shown.get(page) ?? null);
      this.#planned.set(page, versions.reduce(merge, null));
    }
  }

  /** Buys what is planned. */
  send(): void {
    for (const [page, version] of this.#planned) this.#bought.set(page, merge(this.#bought.get(page) ?? null, version));
    this.#planned.clear();
  }
}
