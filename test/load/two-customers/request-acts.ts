import type { HostileAct } from './acts.ts';
import { REQUEST_EVERY_MS, SUBMISSION_EVERY_MS, type Tools } from './tools.ts';

const MEGABYTE = 1024 * 1024;
export const LARGE = 11 * MEGABYTE;

const urls = (count: number, prefix: string, length = 0): string =>
  JSON.stringify({
    service: 'standard',
    urls: Array.from({ length: count }, (_, index) => `${prefix}${index}`.padEnd(length, 'x')),
  });

const nested = `{"urls":${'['.repeat(LARGE / 2)}${']'.repeat(LARGE / 2)}}`;
const item = `https://shop.example/${'x'.repeat(2_000)}`;
const invalid = JSON.stringify({ urls: [...Array.from({ length: 4_999 }, (_, index) => item + index), 'invalid'] });
const fiveThousand = urls(5_000, 'https://hostile.example/products/a-page-of-the-shop-with-a-long-name/');
const tenMegabytes = urls(5_000, 'https://hostile.example/', 2_040);
const checks = urls(50, 'https://hostile.example/').replace('"service":"standard",', '');

/** What takes requests and bodies. Keys are used from the second on: the first one is over its limit. */
export const REQUEST_ACTS = {
  'over its limit': ({ onConnections, request, keyAt }: Tools) =>
    onConnections(40, () => request('GET', '/balance', keyAt(0))),
  'stats of all keys': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) => request('GET', '/stats', keyAt(1 + (index % 19)))),
  'url filter': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) => {
      const url = encodeURIComponent(`https://shop.example/products/1/${index}`);
      return request('GET', `/submissions?url=${url}`, keyAt(1 + (index % 19)));
    }),
  'q filter': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) => request('GET', `/submissions?q=nothing${index}`, keyAt(1 + (index % 19)))),
  'pages far behind': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) =>
      request('GET', `/submissions?limit=100&page=${5 + (index % 5)}`, keyAt(1 + (index % 19))),
    ),
  'details of 500 URLs': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) =>
      request('GET', `/submissions/${FILLED}?url_limit=500&url_page=${1 + (index % 10)}`, keyAt(1 + (index % 19))),
    ),
  'paths that do not exist': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) => request('GET', `/nothing/${index}`, keyAt(1 + (index % 19)))),
  'wrong methods': ({ atPace, request, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) =>
      request('PUT', '/submissions', keyAt(1 + (index % 19)), { body: tenMegabytes.slice(0, MEGABYTE) }),
    ),
  'small submissions': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS / 10, (index) => post(keyAt(1 + (index % 19)), '{"url":"https://a.example/"}')),
  'submissions of 5,000': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS, (index) => post(keyAt(1 + (index % 19)), fiveThousand)),
  'submissions of 10 MB': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS, (index) => post(keyAt(1 + (index % 19)), tenMegabytes)),
  'replays of 5,000': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS, (index) =>
      post(keyAt(1 + (index % 19)), fiveThousand, '/submissions', 'hostile-replay'),
    ),
  'one key for many bodies': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS / 10, (index) =>
      post(keyAt(1 + (index % 19)), `{"url":"https://a.example/${index}"}`, '/submissions', 'hostile-same-key'),
    ),
  'index-checks': ({ atPace, post, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, (index) => post(keyAt(1 + (index % 19)), checks, '/index-check')),
  'large invalid bodies': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS, (index) => post(keyAt(1 + (index % 19)), invalid)),
  'deep JSON': ({ atPace, post, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS, (index) => post(keyAt(1 + (index % 19)), nested)),
  'wrong content type': ({ atPace, request, keyAt }: Tools) =>
    atPace(SUBMISSION_EVERY_MS, (index) =>
      request('POST', '/submissions', keyAt(1 + (index % 19)), { body: tenMegabytes }),
    ),
  'locked rows': ({ onConnections, post, keyAt }: Tools) =>
    onConnections(20, (index) => post(keyAt(1 + index), '{"url":"https://a.example/"}')),
} satisfies Partial<Record<HostileAct, (tools: Tools) => Promise<void>>>;

/** The reference of one of the submissions that the hostile customer has. */
export const FILLED = `sub_${'1'.padStart(26, '0')}`;
