import { setTimeout as sleep } from 'node:timers/promises';
import { Pacer, type Slots } from './pacer.ts';
import { CheckUnavailableError, type Finding, type IndexCheckProvider, unknown } from './provider.ts';
import type { BraveSettings } from './settings.ts';

/** Largest answer that is read: results of one query are a few hundred kilobytes at most. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The limits of a query in the documentation of the API. */
const MAX_QUERY_CHARACTERS = 400;
const MAX_QUERY_WORDS = 50;
/** Queries for one URL, the first one included. */
const MAX_QUERIES = 2;
const MAX_RETRY_WAIT_MS = 5_000;
/** Room for the answer to the last query of a check. */
export const ANSWER_MS = 5_000;

/** The API gave no answer for one URL; `afterMs` when another query is worthwhile. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly afterMs: number | null;

  constructor(message: string, afterMs: number | null) {
    super(message);
    this.afterMs = afterMs;
  }
}

/**
 * The Brave Search API: one web search per URL, for the URL itself, found when a result has the same address. A query
 * that fails is sent once more where that may help; then the URL is unknown.
 */
export function braveProvider(
  { endpoint, token, perSecond }: BraveSettings,
  fetcher: typeof fetch = fetch,
): IndexCheckProvider {
  const pacer = new Pacer(perSecond);

  async function search(url: string, signal: AbortSignal): Promise<Finding> {
    const query = new URL(endpoint);
    query.searchParams.set('q', url);
    query.searchParams.set('count', '20');
    const headers = { accept: 'application/json', 'x-subscription-token': token };
    const response = await fetcher(query, { headers, redirect: 'manual', signal }).catch((error: Error) => {
      throw new NoAnswerError(`the search API did not respond: ${error.message}`, signal.aborted ? null : 0);
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      refuse(response);
    }
    const places = resultUrls(await readLimited(response));
    const index = places.findIndex((place) => isSamePage(place, url));
    return { found: index >= 0, position: index < 0 ? null : index + 1, reason: null };
  }

  async function check(url: string, slots: Slots, signal: AbortSignal): Promise<Finding> {
    for (let query = 1; ; query++) {
      try {
        await slots.next(signal);
        return await search(url, signal);
      } catch (error) {
        if (error instanceof CheckUnavailableError) throw error;
        if (signal.aborted) return unknown('the search API did not answer in time');
        if (!(error instanceof NoAnswerError)) throw error;
        if (error.afterMs === null || query >= MAX_QUERIES) return unknown(error.message);
        await sleep(Math.min(error.afterMs, MAX_RETRY_WAIT_MS), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    name: 'brave',
    findProblem(url) {
      const tooLong = [...url].length > MAX_QUERY_CHARACTERS || url.split(/\s+/).length > MAX_QUERY_WORDS;
      return tooLong ? `the search API takes at most ${MAX_QUERY_CHARACTERS} characters` : null;
    },
    reserve(queries, withinMs) {
      const slots = pacer.reserve(queries, withinMs - ANSWER_MS);
      return {
        release: slots.release,
        async check(urls, signal) {
          const findings = await Promise.all(urls.map((url) => check(url, slots, signal)));
          if (findings.length > 0 && findings.every(({ found }) => found === null)) {
            throw new CheckUnavailableError(`the search API returned no result for any URL: ${findings[0]?.reason}`);
          }
          return findings;
        },
      };
    },
  };
}

/** Throws what another status than 200 means. */
function refuse({ status, headers }: Response): never {
  if (status === 401 || status === 403) {
    throw new CheckUnavailableError(`the search API rejects the token of this service (${status})`);
  }
  const message = `the search API answered ${status}`;
  if (status === 429) throw new NoAnswerError(message, Number(headers.get('retry-after') ?? 1) * 1_000 || 1_000);
  throw new NoAnswerError(message, status >= 500 ? 0 : null);
}

async function readLimited(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new NoAnswerError('the response of the search API is too long', null);
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    throw new NoAnswerError('the response of the search API is not JSON', 0);
  }
}

interface BraveAnswer {
  readonly type?: unknown;
  readonly web?: { readonly results?: unknown };
}

/** The addresses of the web results, in order. An answer without any web results is an empty list. */
function resultUrls(answer: unknown): string[] {
  const { type, web } = (answer ?? {}) as BraveAnswer;
  if (type !== 'search') throw new NoAnswerError('the search API sent an unexpected answer', null);
  if (web === undefined || web === null) return [];
  if (!Array.isArray(web.results)) throw new NoAnswerError('the search API sent an unexpected answer', null);
  return web.results.flatMap((result: { url?: unknown }) => (typeof result?.url === 'string' ? [result.url] : []));
}

/** The same page: without fragment, scheme and a slash at the end, which search engines choose themselves. */
function isSamePage(left: string, right: string): boolean {
  return toPage(left) === toPage(right);
}

function toPage(text: string): string {
  const url = URL.parse(text);
  return url === null ? text : `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}
