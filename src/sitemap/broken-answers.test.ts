import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type BrokenAnswer, FRAMINGS, type Framing, serveBroken } from '../../test/support/sitemap/breaking-server.ts';
import { collect, sitemapindex, urlset } from '../../test/support/sitemap/collect.ts';
import type { CrawlOptions } from './crawl.ts';

/** The records of a document. A broken answer has the first 600 of them, so that pages are emitted before it breaks. */
const RECORDS = Array.from({ length: 1_000 }, (_, n) => `https://shop.example/page-${n}`);
const CUT = 600;
const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');

interface Kind {
  readonly body: Buffer;
  /** Where a whole record ends: what came looks like a document to a reader that counts records only. */
  readonly cut: number;
  readonly headers?: readonly string[];
  /** The format shows where it ends. */
  readonly hasEnd: boolean;
}

function toKind(text: string, mark: string, hasEnd: boolean): Kind {
  const at = text.indexOf(mark);
  assert.ok(at > 0);
  return { body: Buffer.from(text), cut: at, hasEnd };
}
function pack(text: string, coding: string, compress: (body: Buffer) => Buffer): Kind {
  const body = compress(Buffer.from(text));
  const headers = coding === '' ? [] : [`Content-Encoding: ${coding}`];
  return { body, cut: Math.floor(body.length * 0.6), headers, hasEnd: !text.startsWith('https:') };
}
const text = lines(RECORDS);
const rss = RECORDS.map((url) => `<item><link>${url}</link></item>`).join('');
const atom = RECORDS.map((url) => `<entry><link href="${url}"/></entry>`).join('');

/** Every kind that is found by its first bytes, and every coding. */
const KINDS: Readonly<Record<string, Kind>> = {
  urlset: toKind(urlset(...RECORDS), `<url><loc>${RECORDS[CUT]}<`, true),
  index: toKind(sitemapindex(...RECORDS), `<sitemap><loc>${RECORDS[CUT]}<`, true),
  RSS: toKind(`<rss version="2.0"><channel>${rss}</channel></rss>`, `<item><link>${RECORDS[CUT]}<`, true),
  Atom: toKind(`<feed xmlns="http://www.w3.org/2005/Atom">${atom}</feed>`, `<entry><link href="${RECORDS[CUT]}"`, true),
  text: toKind(text, `${RECORDS[CUT]}\n`, false),
  csv: toKind(`loc,lastmod\n${lines(RECORDS.map((url) => `${url},2024-01-01`))}`, `${RECORDS[CUT]},`, false),
  'JSON Feed': toKind(
    `{"version":"https://jsonfeed.org/version/1.1","items":[${RECORDS.map((url) => `{"url":"${url}"}`)}]}`,
    `,{"url":"${RECORDS[CUT]}"`,
    true,
  ),
  'text, within a line': toKind(text, `${CUT}\n`, false),
  'robots.txt': toKind(
    `User-agent: *\nDisallow:\n${lines(RECORDS.map((url) => `Sitemap: ${url}`))}`,
    'Sitemap: https://shop.example/page-600\n',
    false,
  ),
  'gzip of a urlset': pack(urlset(...RECORDS), '', gzipSync),
  'gzip of text': pack(text, '', gzipSync),
  'text in gzip': pack(text, 'gzip', gzipSync),
  'text in brotli': pack(text, 'br', brotliCompressSync),
  'text in deflate': pack(text, 'deflate', deflateSync),
  'text in zstd': pack(text, 'zstd', zstdCompressSync),
};

/** How an answer breaks off, and what this side does to notice. */
const BREAKS = ['fin', 'rst', 'pause', 'timeout', 'abort'] as const;
type BreakKind = (typeof BREAKS)[number];
const OPTIONS: Readonly<Record<BreakKind, CrawlOptions>> = {
  fin: {},
  rst: {},
  pause: { timeouts: { idleMs: 100 } },
  timeout: { timeouts: { totalMs: 150 } },
  abort: {},
};

/** What a crawl says of one answer: `complete`, the code of its verdict, or `stopped`. */
async function crawlBroken(kind: Kind, framing: Framing, how: BreakKind | 'whole', retries = 2) {
  const stop = new AbortController();
  const path = kind === KINDS['robots.txt'] ? '/robots.txt' : '/sitemap';
  const breaks = how === 'fin' || how === 'rst' ? how : 'stall';
  const answer: BrokenAnswer = {
    framing,
    body: kind.body,
    headers: kind.headers ?? [],
    ...(how === 'whole' ? {} : { broken: { sent: kind.cut, breaks } }),
  };
  const onBroken = () => {
    if (how === 'abort') stop.abort(new Error('stopped'));
  };
  await using server = await serveBroken((at) => (at === path ? answer : undefined), onBroken);
  const options: CrawlOptions = {
    ...(how === 'whole' ? {} : OPTIONS[how]),
    signal: stop.signal,
    retries,
    // The children of an index and a robots.txt are not opened.
    done: async (sitemap) => (sitemap.startsWith(server.origin) ? undefined : { kind: 'urlset' }),
  };
  try {
    const { verdicts, complete, locs, problems } = await collect([`${server.origin}${path}`], options);
    const [verdict] = verdicts;
    assert.ok(verdict);
    const said = verdict.verdict === 'incomplete' ? verdict.code : verdict.verdict;
    return { said, complete, locs, problems, requests: server.requests.length };
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
    return { said: 'stopped', complete: false, locs: [], problems: [], requests: server.requests.length };
  }
}

function expected({ hasEnd, headers }: Kind, name: string, framing: Framing, how: BreakKind): string {
  if (how === 'abort') return 'stopped';
  if (how === 'pause' || how === 'timeout') return 'TIMEOUT';
  if (how === 'rst' || FRAMINGS[framing].end !== 'close') return 'NETWORK';
  if (headers !== undefined) return 'GZIP_TRUNCATED';
  if (!hasEnd) return 'complete, END_UNKNOWN';
  return name === 'JSON Feed' ? 'JSON_MALFORMED' : 'XML_TRUNCATED';
}

describe('an answer that breaks off is never whole', () => {
  for (const framing of Object.keys(FRAMINGS) as Framing[]) {
    for (const how of BREAKS) {
      test(`${framing}, ${how}`, async () => {
        const said = await Promise.all(
          Object.entries(KINDS).map(async ([name, kind]) => {
            const { said: verdict, problems } = await crawlBroken(kind, framing, how);
            const isTold = verdict === 'complete' && problems.some(({ code }) => (code as string) === 'END_UNKNOWN');
            return [name, isTold ? `${verdict}, END_UNKNOWN` : verdict];
          }),
        );
        const wanted = Object.entries(KINDS).map(([name, kind]) => [name, expected(kind, name, framing, how)]);
        assert.deepEqual(Object.fromEntries(said), Object.fromEntries(wanted));
      });
    }
  }
});

describe('a whole answer is complete', () => {
  for (const framing of Object.keys(FRAMINGS) as Framing[]) {
    test(framing, async () => {
      for (const [name, kind] of Object.entries(KINDS)) {
        const { said, locs, requests } = await crawlBroken(kind, framing, 'whole');
        const pages = name === 'index' || name === 'robots.txt' ? 0 : RECORDS.length;
        assert.deepEqual([name, said, locs.length], [name, 'complete', pages]);
        const isDoubted = !kind.hasEnd && FRAMINGS[framing].end === 'close';
        assert.equal(requests, isDoubted ? 2 : 1, name);
      }
    });
  }
});

describe('lines of text that only the end of the connection delimits', () => {
  const halves = [300, 600, 900].map((n) => Buffer.from(lines(RECORDS.slice(0, n))));
  const [short, , long] = halves;
  /** Serves one body after the other, the last again and again. */
  async function read(
    bodies: readonly (Buffer | undefined)[],
    options: CrawlOptions = {},
    headers: readonly string[] = [],
  ) {
    let at = 0;
    await using server = await serveBroken(() => {
      const body = bodies[Math.min(at, bodies.length - 1)] ?? assert.fail();
      at += 1;
      return { framing: 'close, HTTP/1.0', body, headers };
    });
    const got = await collect([`${server.origin}/sitemap.txt`], options);
    return { ...got, requests: server.requests.length };
  }

  test('that end somewhere else each time are not complete, and no page is emitted twice', async () => {
    const { codes, locs, complete, problems } = await read(halves);
    assert.deepEqual([codes, locs.length, complete], [['error END_UNKNOWN'], 900, false]);
    assert.match(problems[0]?.message ?? '', /no two readings ended at the same byte.*Content-Length.*\(3 attempts\)/);
  });

  test('are complete once two readings end at the same byte', async () => {
    const { codes, locs, complete, requests } = await read([short, long]);
    assert.deepEqual([codes, locs.length, complete, requests], [['warning END_UNKNOWN'], 900, true, 3]);
  });

  test('that become shorter have changed', async () => {
    assert.deepEqual((await read([long, short])).codes, ['error BODY_CHANGED']);
  });

  test('that change with each request, as by a time in a comment, say what the server has to send', async () => {
    const body = (second: number) => Buffer.from(`# written at 10:00:0${second}\n${lines(RECORDS)}`);
    const { codes, locs, complete, problems } = await read([body(1), body(2), body(3), body(4)]);
    assert.deepEqual([codes, new Set(locs).size, complete], [['error BODY_CHANGED'], RECORDS.length, false]);
    assert.match(
      problems[0]?.message ?? '',
      /changed between two attempts.*only the end of the connection.*Content-Length/,
    );
  });

  test('never give half a line as a page before their end is known', async () => {
    const cut = Buffer.from('https://shop.example/a\nhttps://shop.example/pro');
    const whole = Buffer.from('https://shop.example/a\nhttps://shop.example/products\n');
    const { locs, complete } = await read([cut, whole]);
    assert.deepEqual([locs, complete], [['https://shop.example/a', 'https://shop.example/products'], true]);
  });

  const parts = [RECORDS.slice(0, 600), RECORDS.slice(600)].map((part) => Buffer.from(lines(part)));
  for (const [name, compress] of Object.entries({ gzip: gzipSync, zstd: zstdCompressSync })) {
    test(`are in doubt in ${name}, too: they may have broken off between two members`, async () => {
      const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = parts.map((part) => compress(part));
      const headers = [`Content-Encoding: ${name}`];
      const once = await read([first], { retries: 0 }, headers);
      assert.deepEqual([once.codes, once.complete], [['error END_UNKNOWN'], false]);
      const again = await read([first, Buffer.concat([first, second])], {}, headers);
      assert.deepEqual([again.codes, again.locs.length, again.complete], [['warning END_UNKNOWN'], 1_000, true]);
    });
  }

  test('cannot be complete without a second reading', async () => {
    const { codes, complete } = await read([long], { retries: 0 });
    assert.deepEqual([codes, complete], [['error END_UNKNOWN'], false]);
  });

  test('are read once when they are those of the last complete visit', async () => {
    const first = await read([long]);
    const [verdict] = first.verdicts;
    assert.ok(verdict?.verdict === 'complete');
    const known = async (location: string) => ({ ...verdict, location });
    const again = await read([long], { known });
    assert.deepEqual([again.verdicts[0]?.verdict, again.requests], ['not-modified', 1]);
  });
});

test('an answer with more bytes than it states is not complete, unless its format has an end of its own', async () => {
  const answer = (body: string, stated: number) => async () => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${stated}\r\n\r\n${body}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return (await collect([`http://127.0.0.1:${(server.address() as AddressInfo).port}/s`])).codes;
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  };
  // A server that counts letters in place of bytes.
  const letters = lines(['https://shop.example/ü', 'https://shop.example/b']);
  assert.deepEqual(await answer(letters, letters.length - 23)(), ['error END_UNKNOWN']);
  const xml = urlset('https://shop.example/a');
  assert.deepEqual(await answer(`${xml}more`, xml.length)(), []);
  assert.deepEqual(await answer(`${xml}\r\n`, xml.length - 9)(), ['error XML_TRUNCATED']);
});

describe('a body that is not needed', () => {
  for (const breaks of ['fin', 'rst'] as const) {
    for (const framing of Object.keys(FRAMINGS) as Framing[]) {
      test(`may break off: ${framing}, ${breaks}`, async () => {
        const body = Buffer.from('this page has moved');
        const broken = { sent: 4, breaks };
        await using server = await serveBroken((path) => {
          if (path === '/old') return { status: '301 Moved', framing, headers: ['Location: /new'], body, broken };
          if (path === '/busy') return { status: '429 Busy', framing, headers: ['Retry-After: 900'], body, broken };
          return { framing: 'Content-Length, HTTP/1.1', body: Buffer.from(urlset('https://shop.example/a')) };
        });
        assert.deepEqual((await collect([`${server.origin}/old`])).locs, ['https://shop.example/a']);
        const { verdicts } = await collect([`${server.origin}/busy`]);
        assert.deepEqual(
          verdicts.map((verdict) => verdict.verdict === 'incomplete' && [verdict.code, verdict.retryAfterMs]),
          [['HTTP_STATUS', 900_000]],
        );
      });
    }
  }
});
