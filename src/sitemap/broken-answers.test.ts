import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  type BrokenAnswer,
  FRAMINGS,
  type Framing,
  serveBroken,
} from '../../test/support/sitemap/breaking-server.ts';
import { collect, NS, sitemapindex, urlset } from '../../test/support/sitemap/collect.ts';
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
  return { body, cut: Math.floor(body.length * 0.6), headers, hasEnd: true };
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
  'records without a root': toKind(
    RECORDS.map((url) => `<url ${NS}><loc>${url}</loc></url>`).join(''),
    `<url ${NS}><loc>${RECORDS[CUT]}<`,
    true,
  ),
  text: toKind(text, `${RECORDS[CUT]}\n`, false),
  'text, within a line': toKind(text, `${CUT}\n`, false),
  'robots.txt': toKind(`User-agent: *\nDisallow:\n${lines(RECORDS.map((url) => `Sitemap: ${url}`))}`, 'Sitemap: https://shop.example/page-600\n', false),
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
  // Damage is told first.
  if (name === 'records without a root') return 'XML_MALFORMED';
  if (how === 'pause' || how === 'timeout') return 'TIMEOUT';
  if (how === 'rst' || FRAMINGS[framing].end !== 'close') return 'NETWORK';
  if (!hasEnd) return 'complete, END_UNKNOWN';
  return name.includes('gzip') || headers?.length === 1 ? 'GZIP_TRUNCATED' : 'XML_TRUNCATED';
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
        if (name === 'records without a root') continue;
        const { said, locs, requests } = await crawlBroken(kind, framing, 'whole');
        const pages = name === 'index' || name === 'robots.txt' ? 0 : RECORDS.length;
        assert.deepEqual([name, said, locs.length], [name, 'complete', pages]);
        const isDoubted = !kind.hasEnd && FRAMINGS[framing].end === 'close';
        assert.equal(requests, isDoubted ? 2 : 1, name);
      }
    });
  }
});
