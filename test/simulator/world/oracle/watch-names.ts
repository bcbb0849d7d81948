/** The configured watches by name, with their sitemaps, and by which name a watch spends. */
export class WatchNames {
  #sitemaps: ReadonlyMap<string, string> = new Map();
  #names: ReadonlyMap<string, string> = new Map();
  /** The names of the watch of each sitemap, in order; null: it had none. */
  readonly #had = new Map<string, (string | null)[]>();

  /** When each sitemap got the watch that it has, as a delivery: those before were for another one, or for none. */
  readonly #since = new Map<string, number>();

  /** `order`: that of the last delivery. */
  configure(watches: ReadonlyMap<string, string>, order = 0): void {
    const names = new Map([...watches].map(([name, sitemap]) => [sitemap, name]));
    for (const sitemap of new Set([...this.#had.keys(), ...names.keys()])) {
      const had = this.#had.get(sitemap) ?? [];
      this.#had.set(sitemap, had);
      const name = names.get(sitemap) ?? null;
      if (had.at(-1) === name) continue;
      had.push(name);
      this.#since.set(sitemap, order);
    }
    this.#sitemaps = watches;
    this.#names = new Map([...watches].map(([name, sitemap]) => [sitemap, name]));
  }

  /** Whether the watch of a sitemap had another name, or was not configured, since it first had the name of now. */
  hasNameBack(sitemap: string): boolean {
    const had = this.#had.get(sitemap) ?? [];
    return had.indexOf(had.at(-1) ?? null) < had.length - 1;
  }

  /** The last delivery before the watch of a sitemap had the name of now. */
  getSince(sitemap: string): number {
    return this.#since.get(sitemap) ?? 0;
  }

  has(name: string): boolean {
    return this.#sitemaps.has(name);
  }

  hasSitemap(sitemap: string): boolean {
    return this.#names.has(sitemap);
  }

  /** The name of the watch of a sitemap now. */
  toName(sitemap: string): string {
    return this.#names.get(sitemap) ?? sitemap;
  }

  /**
   * The name by which the run of a watch spends. One whose watch is not configured waits for it, and spends by that name once
   * it is configured again.
   */
  toSpender(watch: string): string {
    const sitemap = this.#sitemaps.get(watch);
    return sitemap === undefined ? watch : this.toName(sitemap);
  }
}
