import type { Watch } from '../../config/config.ts';
import { readSecret, SecretMissingError } from '../../config/secrets.ts';
import { crawl } from '../../sitemap/crawl.ts';
import { formatCount, formatCounted } from '../../submission/count.ts';
import { makeScope } from '../../url/scope.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Enough to know a sitemap by; a whole crawl of a large site takes minutes. */
const MOST_URLS = 5_000;
const MOST_SITEMAPS = 20;
const TIMEOUT_MS = 30_000;

/** Reads the beginning of each sitemap of a watch. */
export async function checkSitemaps(watch: Watch, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const source of watch.sources) findings.push(await checkSitemap(watch, source, signal));
  return findings;
}

interface Counts {
  urls: number;
  withLastmod: number;
  outOfScope: number;
  readonly otherHosts: Set<string>;
}

async function checkSitemap(watch: Watch, source: string, signal: AbortSignal): Promise<Finding> {
  const about = { check: 'sitemap', subject: watch.id } as const;
  let headers: Record<string, string>;
  try {
    headers = readHeaders(watch);
  } catch (error) {
    if (!(error instanceof SecretMissingError)) throw error;
    return fail(about, `${source}: ${error.message}`, 'put the secret where headers say');
  }
  const counts: Counts = { urls: 0, withLastmod: 0, outOfScope: 0, otherHosts: new Set() };
  const scope = makeScope({ hosts: watch.hosts ?? [], include: watch.include, exclude: watch.exclude });
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  let kind = '';
  let problem: { readonly message: string; readonly transient: boolean } | null = null;
  let isCut = false;
  try {
    for await (const event of crawl([source], {
      hreflang: watch.hreflang,
      allowPrivateHosts: watch.allowPrivateHosts,
      hosts: watch.hosts ?? [],
      anyHost: watch.hosts === null,
      headers,
      maxUrls: MOST_URLS,
      maxSitemaps: MOST_SITEMAPS,
      retries: 1,
      signal: AbortSignal.any([signal, deadline]),
    })) {
      if (event.type === 'entries') for (const { url, lastmod } of event.entries) count(counts, url, lastmod, scope);
      else if (event.type === 'verdict' && event.verdict !== 'duplicate') kind ||= event.kind ?? '';
      else if (event.type === 'problem' && event.severity === 'error') {
        if (event.code === 'TOO_MANY_URLS' || event.code === 'TOO_MANY_SITEMAPS') isCut = true;
        else
          problem ??= {
            message: `${event.sitemap}: ${event.message}`,
            transient: ['NETWORK', 'TIMEOUT'].includes(event.code),
          };
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    isCut = true;
  }
  if (problem !== null && counts.urls === 0)
    return fail(about, problem.message, 'check the address; nothing counts as gone while it cannot be read', problem);
  if (problem !== null) return warn(about, problem.message, 'what was read is used; nothing counts as gone');
  return judgeSitemap(watch, source, kind, counts, isCut);
}

function judgeSitemap(watch: Watch, source: string, kind: string, counts: Counts, isCut: boolean): Finding {
  const about = { check: 'sitemap', subject: watch.id } as const;
  const { urls, withLastmod, outOfScope, otherHosts } = counts;
  const share = urls === 0 ? 0 : Math.floor((100 * withLastmod) / urls);
  const many = `${isCut ? 'more than ' : ''}${formatCounted(urls, 'URL')}`;
  const what = `${source}: ${kind === '' ? 'read' : kind}, ${many}, ${share}% with a lastmod, ${formatCount(outOfScope)} out of scope`;
  if (urls === 0) return warn(about, `${source}: it lists no URL`, 'check that it is the right sitemap');
  if (outOfScope === urls)
    return fail(about, `${what}: nothing is bought`, 'correct hosts, include and exclude of the watch');
  if (watch.resubmit.onLastmodChange && withLastmod === 0)
    return warn(about, what, 'resubmit.on_lastmod_change has no effect without a lastmod');
  if (otherHosts.size === 0) return ok(about, what);
  return warn(
    about,
    `${what} (hosts ${[...otherHosts].slice(0, 3).join(', ')})`,
    'add them to hosts if they are yours',
  );
}

function count(
  counts: Counts,
  url: Parameters<ReturnType<typeof makeScope>>[0] | null,
  lastmod: string | null,
  scope: ReturnType<typeof makeScope>,
): void {
  counts.urls += 1;
  if (lastmod !== null) counts.withLastmod += 1;
  const reason = url === null ? 'relative' : scope(url);
  if (reason === null) return;
  counts.outOfScope += 1;
  if (reason === 'host' && url !== null && counts.otherHosts.size < 100) counts.otherHosts.add(new URL(url).host);
}

const readHeaders = ({ headers }: Watch): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : readSecret(value)]),
  );
