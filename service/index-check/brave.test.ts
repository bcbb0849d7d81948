import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { braveProvider } from './brave.ts';
import { CheckUnavailableError } from './provider.ts';

/** An answer as the API documents it, cut to what is read and a little more. */
const recorded = (...urls: string[]) => ({
  type: 'search',
  query: { original: 'https://shop.example/a', more_results_available: true },
  web: { type: 'search', results: urls.map((url) => ({ title: 'Shop', url, is_source_local: false, language: 'en' })) },
});

const settings = { endpoint: 'https://search.example/res/v1/web/search', token: 'secret-token', perSecond: 1_000 };
const signal = new AbortController().signal;

/** A provider whose search API gives these answers, each for the query that it is asked. */
function answering(answer: (query: string) => Response) {
  const asked: { url: URL; headers: Headers }[] = [];
  const fetcher = async (input: unknown, init?: RequestInit) => {
    const url = new URL(String(input));
    asked.push({ url, headers: new Headers(init?.headers) });
    return answer(url.searchParams.get('q')!);
  };
  const provider = braveProvider(settings, fetcher as typeof fetch);
  return { asked, provider, check: (urls: string[]) => provider.reserve(urls.length, 30_000).check(urls, signal) };
}

test('a URL is found when a result is the same page except for scheme, fragment or final slash', async () => {
  const { asked, check } = answering(() =>
    Response.json(recorded('https://other.example/', 'http://shop.example/a/#top')),
  );
  assert.deepEqual(await check(['https://shop.example/a', 'https://shop.example/b']), [
    { found: true, position: 2, reason: null },
    { found: false, position: null, reason: null },
  ]);
  assert.equal(asked[0]?.url.searchParams.get('q'), 'https://shop.example/a');
  assert.equal(asked[0]?.headers.get('x-subscription-token'), 'secret-token');
});

test('a response without web results means not found', async () => {
  const { check } = answering(() => Response.json({ type: 'search', query: {} }));
  assert.deepEqual(await check(['https://shop.example/a']), [{ found: false, position: null, reason: null }]);
});

describe('responses that fail the check, so that the charge is restored', () => {
  for (const [what, answer] of Object.entries({
    'a 429': () => new Response('{}', { status: 429 }),
    'a 401': () => new Response('{}', { status: 401 }),
    'a redirect': () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } }),
    'something else than JSON': () => new Response('<html>'),
    'another form': () => Response.json({ type: 'ErrorResponse' }),
    'results that are no list': () => Response.json({ type: 'search', web: { results: 'x' } }),
  })) {
    test(what, async () => {
      await assert.rejects(answering(answer).check(['https://shop.example/a']), CheckUnavailableError);
    });
  }
});

test('a URL without a response is unknown with its reason, and the others keep their results', async () => {
  const { asked, check } = answering((query) =>
    query.endsWith('/bad') ? new Response('{}', { status: 422 }) : Response.json(recorded(query)),
  );
  const urls = ['https://shop.example/a', 'https://shop.example/bad', 'https://shop.example/c'];
  const findings = await check(urls);
  assert.deepEqual(
    findings.map(({ found }) => found),
    [true, null, true],
  );
  assert.match(findings[1]?.reason ?? '', /answered 422/);
  assert.equal(asked.length, 3, 'a refused query is not repeated');
});

test('a query that the API is too busy for is sent once more', async () => {
  let queries = 0;
  const busyOnce = answering((query) =>
    ++queries === 1 ? new Response('{}', { status: 503 }) : Response.json(recorded(query)),
  );
  assert.deepEqual(await busyOnce.check(['https://shop.example/a']), [{ found: true, position: 1, reason: null }]);
  assert.equal(queries, 2);
});

test('invalid queries are rejected before any request', () => {
  const { provider } = answering(() => Response.json(recorded()));
  assert.equal(provider.findProblem(`https://shop.example/${'x'.repeat(379)}`), null);
  assert.match(provider.findProblem(`https://shop.example/${'x'.repeat(380)}`) ?? '', /at most 400 characters/);
});

test("queries keep to the plan's rate, and a check that does not fit is rejected with an accurate Retry-After", async () => {
  const sent: number[] = [];
  const fetcher = async () => {
    sent.push(performance.now());
    return Response.json(recorded());
  };
  const provider = braveProvider({ ...settings, perSecond: 20 }, fetcher as typeof fetch);
  const startedAt = performance.now();
  const first = provider.reserve(5, 5_400);
  assert.throws(
    () => provider.reserve(5, 5_400),
    (error: unknown) => error instanceof CheckUnavailableError && error.retryAfterSeconds === 1,
  );
  await first.check(['1', '2', '3', '4', '5'], signal);
  // From the reservation: on a busy machine the first query is late, and the later ones keep their times.
  assert.ok(sent.at(-1)! - startedAt >= 190, 'four pauses of 50 ms');
  const later = provider.reserve(5, 5_400);
  later.release();
  provider.reserve(5, 5_400);
});
