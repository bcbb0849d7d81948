/** The configured watches by name, with their sitemaps, and by which name a watch spends. */
export class WatchNames {
  #sitemaps: ReadonlyMap<string, string> = new Map();
  #names: ReadonlyMap<string, string> = new Map();

  configure(watches: ReadonlyMap<string, string>): void {
    this.#sitemaps = watches;
    this.#names = new Map([...watches].map(([name, sitemap]) => [sitemap, name]));
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
