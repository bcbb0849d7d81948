import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readConfig } from '../src/config/load.ts';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import { type Ledger, openLedger } from '../src/ledger/open-ledger.ts';
import { beginRun, endRun } from '../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import { FRAMINGS, type Framing, serveBroken } from '../test/support/sitemap/breaking-server.ts';
import { urlset } from '../test/support/sitemap/collect.ts';
import { observeCrawl } from './observe-crawl.ts';
import { runStart } from './run-start.ts';

const pages = (count: number) => Array.from({ length: count }, (_, n) => `https://shop.example/page-${n}`);
const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
const KINDS: Readonly<Record<string, (urls: readonly string[]) => Buffer>> = {
  text: (urls) => Buffer.from(lines(urls)),
  urlset: (urls) => Buffer.from(urlset(...urls)),
  'gzip of text': (urls) => gzipSync(lines(urls)),
  'robots.txt': (urls) => Buffer.from(`User-agent: *\n${lines(urls.map(toSitemapLine))}`),
};
const toSitemapLine = (_: string, n: number) => `Sitemap: /children/${n}.txt`;
const OLD = pages(4);
const NEW = pages(5);

/**
 * Three visits of a watch: the sitemap of four pages; a page more, in an answer that breaks off, at another byte each time;
 * the same whole. `abort`: the run is told to stop while it reads.
 */
async function visit(ledger: Ledger, kind: string, framing: Framing, how: 'fin' | 'rst' | 'abort') {
  const toBody = KINDS[kind] ?? assert.fail();
  const path = kind === 'robots.txt' ? '/robots.txt' : '/sitemap';
  const id = kind.replaceAll(/[^a-z]/g, '-') as WatchId;
  let visits = 0;
  let broken = 0;
  let stop = new AbortController();
  await using server = await serveBroken(
    (at, validator) => {
      const child = /^\/children\/(\d+)/.exec(at)?.[1];
      if (child !== undefined)
        return { framing: 'Content-Length, HTTP/1.1', body: Buffer.from(`${NEW[Number(child)]}\n`) };
      if (at !== path) return undefined;
      const etag = visits === 1 ? '"v1"' : '"v2"';
      if (validator === etag) return 'not-modified';
      const body = toBody(visits === 1 ? OLD : NEW);
      const answer = { framing, body, headers: [`ETag: ${etag}`] };
      if (visits !== 2) return answer;
      broken += 1;
      const sent = Math.floor(body.length * (1 - [0.2, 0.3, 0.25][broken % 3]!));
      return { ...answer, broken: { sent, breaks: how === 'abort' ? 'stall' : how } };
    },
    () => {
      if (how === 'abort') stop.abort(new Error('the worker stops'));
    },
  );
  const config = readConfig(
    `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { ${id}: { account: main, sitemaps: ["${server.origin}${path}"], hosts: ["*"], allow_private_hosts: [127.0.0.1] } }`,
    'courier.yaml',
  );
  const watch = config.watches.get(id) ?? assert.fail();
  const said: string[] = [];
  const crawl = async (run: RunId): Promise<void> => {
    visits += 1;
    stop = new AbortController();
    try {
      const { complete, doubts = [] } = await observeCrawl(ledger, watch, run, stop.signal).report;
      const { found, gone } = await diffRun(ledger, run, { complete });
      said.push(`${complete ? 'complete' : 'incomplete'}, gone ${gone}${complete ? `, found ${found}` : ''}`);
      const hasDoubt = complete && FRAMINGS[framing].end === 'close' && kind !== 'urlset';
      assert.equal(doubts.length, hasDoubt ? 1 : 0, doubts.join());
    } catch (error) {
      if (error !== stop.signal.reason) throw error;
      said.push('stopped');
    }
  };
  const open = async (name: string): Promise<RunId> => {
    const run = `${id}-${name}` as RunId;
    await beginRun(ledger, runStart(watch, run));
    return run;
  };
  const first = await open('r1');
  await crawl(first);
  await endRun(ledger, first, 'finished');
  // A plan that is stopped is abandoned; the run of a worker that stops goes on. Each has its half of the framings.
  const second = await open('r2');
  await crawl(second);
  const goesOn = how === 'abort' && framing.includes('1.1');
  if (!goesOn) await endRun(ledger, second, how === 'abort' ? 'abandoned' : 'previewed');
  await crawl(goesOn ? second : await open('r3'));
  return said;
}

describe('a visit whose answer breaks off makes no page gone, and hides no page from the next', {
  concurrency: true,
}, () => {
  for (const how of ['fin', 'rst', 'abort'] as const) {
    for (const framing of Object.keys(FRAMINGS) as Framing[]) {
      test(`${framing}, ${how}`, async (t) => {
        const ledger = await openLedger('sqlite::memory:');
        t.after(() => ledger.close());
        const all = await Promise.all(
          Object.keys(KINDS).map(async (kind) => [kind, await visit(ledger, kind, framing, how)] as const),
        );
        const broken = how === 'abort' ? 'stopped' : 'incomplete, gone 0';
        const wanted = ['complete, gone 0, found 4', broken, 'complete, gone 0, found 5'];
        assert.deepEqual(
          all,
          Object.keys(KINDS).map((kind) => [kind, wanted]),
        );
      });
    }
  }
});
