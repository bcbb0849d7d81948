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

const settings = { endpoint: 'https://search.example/res/v1/web/search', token: 'secret-token' };
const signal = new AbortController().signal;

const answering = (answer: () => Response) => {
  const asked: { url: URL; headers: Headers }[] = [];
  const fetcher = async (input: unknown, init?: RequestInit) => {
    asked.push({ url: new URL(String(input)), headers: new Headers(init?.headers) });
    return answer();
  };
  return { asked, provider: braveProvider(settings, fetcher as typeof fetch) };
};

test('a URL is found when a result is the same page, whatever its scheme, fragment or last slash', async () => {
  const { asked, provider } = answering(() =>
    Response.json(recorded('https://other.example/', 'http://shop.example/a/#top')),
  );
  assert.deepEqual(await provider.check(['https://shop.example/a', 'https://shop.example/b'], signal), [
    { found: true, position: 2 },
    { found: false, position: null },
  ]);
  assert.equal(asked[0]?.url.searchParams.get('q'), 'https://shop.example/a');
  assert.equal(asked[0]?.headers.get('x-subscription-token'), 'secret-token');
});

test('an answer without web results means not found', async () => {
  const { provider } = answering(() => Response.json({ type: 'search', query: {} }));
  assert.deepEqual(await provider.check(['https://shop.example/a'], signal), [{ found: false, position: null }]);
});

describe('answers that fail the check, so that the charge is restored', () => {
  for (const [what, answer] of Object.entries({
    'a 429': () => new Response('{}', { status: 429 }),
    'a 401': () => new Response('{}', { status: 401 }),
    'a redirect': () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } }),
    'something else than JSON': () => new Response('<html>'),
    'another form': () => Response.json({ type: 'ErrorResponse' }),
    'results that are no list': () => Response.json({ type: 'search', web: { results: 'x' } }),
  })) {
    test(what, async () => {
      await assert.rejects(answering(answer).provider.check(['https://shop.example/a'], signal), CheckUnavailableError);
    });
  }
});
