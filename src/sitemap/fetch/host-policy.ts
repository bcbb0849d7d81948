/**
 * The hosts that a crawl may read sitemaps from: those of the sources, hosts below them, the same host with or without
 * `www.`, the hosts that a robots.txt names (the protocol's way to keep sitemaps on another host), and those allowed by
 * name. Ports and schemes do not matter.
 */
export class HostPolicy {
  readonly #any: boolean;
  readonly #hosts = new Set<string>();

  constructor(options: { readonly anyHost: boolean; readonly hosts: readonly string[] }) {
    this.#any = options.anyHost;
    for (const host of options.hosts) this.allow(host);
  }

  /** Allows a host and the hosts below it from now on. */
  allow(host: string): void {
    this.#hosts.add(withoutWww(host.toLowerCase().replace(/^\*\./, '').replace(/:\d+$/, '')));
  }

  allows(url: URL): boolean {
    if (this.#any) return true;
    const host = withoutWww(url.hostname);
    if (this.#hosts.has(host)) return true;
    if (/^[\d.]+$|^\[/.test(host)) return false;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const above = host.slice(dot + 1);
      if (above.includes('.') && this.#hosts.has(above)) return true;
    }
    return false;
  }
}

const withoutWww = (host: string) => host.replace(/^www\./, '');
