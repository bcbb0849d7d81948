import { createHash } from 'node:crypto';
import { crawl } from '../../../src/sitemap/crawl.ts';
// The crawler loads these with the first address. Imports are not crawl time, neither ours nor those of the peers.
import '../../../src/sitemap/fetch/connections.ts';
import '../../../src/sitemap/fetch/http.ts';

/** Two crawls in two processes: locs are gathered for the digest in one, and only counted where time is measured. */
const [url, mode] = [process.argv.at(-1)!, process.env.BENCH_DIGEST];
const locs: string[] = [];
let urls = 0;
const started = performance.now();
const before = process.cpuUsage();
for await (const event of crawl([url], { allowPrivateHosts: true })) {
  if (event.type !== 'entries') continue;
  urls += event.entries.length;
  if (mode !== undefined) for (const { loc } of event.entries) locs.push(loc);
}
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(before);
const cpuSeconds = (user + system) / 1e6;
const sha256 = mode === undefined ? '' : createHash('sha256').update(locs.sort().join('\n')).digest('hex');
process.stdout.write(
  `${JSON.stringify({ seconds, cpuSeconds, rssMb: (process.resourceUsage().maxRSS * 1_024) / 1e6, urls, sha256 })}\n`,
);
