/** What acts and people did in a seed, by what it was: tests and readers see that it happens. */
export class Happenings {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  list(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
