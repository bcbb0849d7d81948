import { CheckUnavailableError, type Finding, type IndexCheckProvider } from './provider.ts';
import type { BraveSettings } from './settings.ts';

/** Largest answer that is read: results of one query are a few hundred kilobytes at most. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const PARALLEL = 4;

/**
 * The Brave Search API: one web search per URL, for the URL itself, found when a result has the same address. Its
 * answers decide nothing about money: any other answer than a result list fails the check and restores the charge.
 */
export function braveProvider({ endpoint, token }: BraveSettings, fetcher: typeof fetch = fetch): IndexCheckProvider {
  async function look(url: string, signal: AbortSignal): Promise<Finding> {
    const asked = new URL(endpoint);
    asked.searchParams.set('q', url);
    asked.searchParams.set('count', '20');
    const response = await fetcher(asked, {
      headers: { accept: 'application/json', 'x-subscription-token': token },
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new CheckUnavailableError(`the search API answered ${response.status}`);
    }
    const places = resultUrls(await readLimited(response));
    const index = places.findIndex((place) => samePage(place, url));
    return index < 0 ? { found: false, position: null } : { found: true, position: index + 1 };
  }

  return {
    name: 'brave',
    async check(urls, signal) {
      const findings: Finding[] = [];
      for (let start = 0; start < urls.length; start += PARALLEL) {
        const part = urls.slice(start, start + PARALLEL);
        findings.push(...(await Promise.all(part.map((url) => look(url, signal)))));
      }
      return findings;
    },
  };
}

async function readLimited(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new CheckUnavailableError('the search API sent too long an answer');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new CheckUnavailableError('the search API sent something else than JSON');
  }
}

interface BraveAnswer {
  readonly type?: unknown;
  readonly web?: { readonly results?: unknown };
}

/** The addresses of the web results, in order. An answer without any web results is an empty list. */
function resultUrls(answer: unknown): string[] {
  const { type, web } = (answer ?? {}) as BraveAnswer;
  if (type !== 'search') throw new CheckUnavailableError('the search API sent an answer of another form');
  if (web === undefined || web === null) return [];
  if (!Array.isArray(web.results)) throw new CheckUnavailableError('the search API sent an answer of another form');
  return web.results.flatMap((result: { url?: unknown }) => (typeof result?.url === 'string' ? [result.url] : []));
}

/** The same page: without fragment, scheme and a slash at the end, which search engines choose themselves. */
function samePage(left: string, right: string): boolean {
  return toPage(left) === toPage(right);
}

function toPage(text: string): string {
  const url = URL.parse(text);
  return url === null ? text : `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}
