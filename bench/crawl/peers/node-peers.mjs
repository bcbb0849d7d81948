import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';

// node node-peers.mjs FOLDER PEER URL: one crawl by a peer, in the way that its documentation shows.
const [, , folder, peer, url] = process.argv;
const require = createRequire(`${folder}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

async function* sitemapper() {
  const { default: Sitemapper } = await load('sitemapper');
  started = performance.now();
  before = process.cpuUsage();
  const { sites } = await new Sitemapper({ timeout: 120_000, concurrency: 10 }).fetch(url);
  yield* sites;
}

async function* crawlee() {
  const { parseSitemap } = await load('@crawlee/utils');
  started = performance.now();
  before = process.cpuUsage();
  for await (const { loc } of parseSitemap([{ type: 'url', url }], undefined, { enqueueStrategy: 'all' })) yield loc;
}

async function* sitemapJs() {
  const { XMLToSitemapItemStream, XMLToSitemapIndexStream } = await load('sitemap');
  started = performance.now();
  before = process.cpuUsage();
  const open = async (address) => {
    const body = Readable.fromWeb((await fetch(address)).body);
    return address.endsWith('.gz') ? body.pipe(createGunzip()) : body;
  };
  const sources = [];
  if (url.endsWith('c.xml')) {
    for await (const item of (await open(url)).pipe(new XMLToSitemapIndexStream({ level: 'silent' })))
      sources.push(item.url);
  } else sources.push(url);
  for (const source of sources) {
    for await (const item of (await open(source)).pipe(new XMLToSitemapItemStream({ level: 'silent' }))) yield item.url;
  }
}

let started = 0;
let before;
const keep = process.env.BENCH_DIGEST !== undefined;
const locs = [];
let urls = 0;
for await (const loc of { sitemapper, crawlee, 'sitemap.js': sitemapJs }[peer]()) {
  urls += 1;
  if (keep) locs.push(loc);
}
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(before);
const cpuSeconds = (user + system) / 1e6;
const sha256 = keep ? createHash('sha256').update(locs.sort().join('\n')).digest('hex') : '';
process.stdout.write(
  `${JSON.stringify({ seconds, cpuSeconds, rssMb: (process.resourceUsage().maxRSS * 1_024) / 1e6, urls, sha256 })}\n`,
);
