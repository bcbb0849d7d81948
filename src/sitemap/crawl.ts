import { Channel } from './channel.ts';
import { CrawlFrontier } from './crawl-frontier.ts';
import type { CrawlEvent } from './events.ts';
import { makeAddressGuard } from './fetch/address-guard.ts';
import { HostGate } from './fetch/host-gate.ts';
import { HostPolicy } from './fetch/host-policy.ts';
import type { HttpContext } from './fetch/http.ts';
import { findProxies, type ProxySetting } from './fetch/proxy.ts';
import { openHostDelays } from './host-delays.ts';
import { type CrawlOptions, toSettings } from './options.ts';
import { SitemapError } from './problems.ts';
import { type FetchContext, fetchSitemap } from './sitemap-fetch.ts';
import { parseSource, type Source, toSafeName } from './source.ts';

export type { CrawlEvent, KnownSitemap, Problem, Saved, SitemapEntry, SitemapKind, Verdict } from './events.ts';
export { ProxySettingError } from './fetch/proxy.ts';
export type { CrawlOptions, PageRecognizer } from './options.ts';
export { PROBLEM_CODES, type ProblemCode, type Severity, SitemapError } from './problems.ts';
export { parseSource } from './source.ts';

/** Events that wait for the consumer. */
const QUEUE = 4;

/**
 * Reads sitemaps and the sitemaps that they name. Yields events, the last of which is a summary
 * (docs/explanation/sitemaps.md). Sources are URLs of sitemaps, indexes, feeds or a robots.txt, local paths, or `-`.
 *
 * Memory is bounded: the crawl is as fast as its consumer. A problem of a sitemap is an event and never an exception.
 * Throws the reason of an aborted signal, and ProxySettingError. Leaving the loop early ends every request.
 */
export async function* crawl(sources: readonly string[], options: CrawlOptions = {}): AsyncGenerator<CrawlEvent> {
  const settings = toSettings(options);
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const guard = makeAddressGuard(settings.allowPrivateHosts);
  const proxies = findProxies(process.env);
  const events = new Channel<CrawlEvent>(QUEUE);
  const policy = new HostPolicy({ anyHost: settings.anyHost, hosts: settings.hosts });
  const claims = new Map<string, string>();
  const roots: Source[] = [];
  const budget = { urls: 0, isSpent: false, maxUrls: settings.maxUrls, maxSitemaps: settings.maxSitemaps };
  const frontier = new CrawlFrontier({ settings, policy, budget, emit: (event) => events.push(event) });

  for (const text of sources) {
    try {
      roots.push(parseSource(text));
    } catch (error) {
      if (!(error instanceof SitemapError)) throw error;
      frontier.refuse(toSafeName(text), error);
    }
  }
  const hosts = roots.flatMap((root) => (root.kind === 'http' ? [new URL(root.name)] : []));
  for (const url of hosts) policy.allow(url.hostname);

  const http = lazyHttp(proxies, {
    guard,
    policy,
    userAgent: settings.userAgent,
    headers: settings.headers,
    headerOrigins: new Set(hosts.flatMap((url) => [url.origin, `https://${url.host}`, `https://${url.hostname}`])),
    timeouts: settings.timeouts,
    now: settings.now,
  });
  const gate = new HostGate({ ...settings, concurrency: settings.hostConcurrency, delayMs: settings.hostDelayMs });
  const emit = (event: CrawlEvent) => events.push(event);
  const context: FetchContext = {
    settings,
    gate,
    http: http.open,
    slowDown: openHostDelays({ settings, gate, http: http.open, signal, emit }),
    budget,
    signal,
    emit,
    claim: (url, sitemap) => {
      const owner = claims.get(url);
      if (owner === undefined) claims.set(url, sitemap);
      return owner === sitemap ? undefined : owner;
    },
  };

  const running = frontier
    .run(roots, (source) => fetchSitemap(source, context), signal)
    .then(
      (summary) => events.push({ type: 'summary', urls: budget.urls, ...summary }).then(() => events.close()),
      (error: unknown) => events.close({ error }),
    );
  try {
    yield* events;
  } finally {
    left.abort();
    events.close();
    await running;
    await http.close();
  }
}

/** Loads HTTP with the first sitemap that needs it: a crawl of files is over in the time that this takes. */
function lazyHttp(proxies: readonly ProxySetting[], context: Omit<HttpContext, 'connections' | 'signal'>) {
  const load = async () => {
    const [{ openHttp }, { openConnections }] = await Promise.all([
      import('./fetch/http.ts'),
      import('./fetch/connections.ts'),
    ]);
    return { openHttp, connections: openConnections(context.guard, proxies) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  const open: FetchContext['http'] = async (url, known, signal) => {
    loaded ??= load();
    const { openHttp, connections } = await loaded;
    return await openHttp(url, known, { ...context, connections, signal });
  };
  return { open, close: async () => (await loaded)?.connections.close() };
}
