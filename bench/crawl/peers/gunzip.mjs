import { createGunzip } from 'node:zlib';

// node gunzip.mjs URL: fetches the children of an index and unpacks them, and reads nothing: what no crawler can beat.
const index = process.argv.at(-1);
const urls = [...(await (await fetch(index)).text()).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc);
const bodies = await Promise.all(urls.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())));
const started = performance.now();
for (const body of bodies) {
  const gunzip = createGunzip({ chunkSize: 131_072 });
  gunzip.end(body);
  for await (const _ of gunzip);
}
const seconds = (performance.now() - started) / 1_000;
process.stdout.write(
  `${JSON.stringify({ seconds, cpuSeconds: seconds, rssMb: (process.resourceUsage().maxRSS * 1_024) / 1e6, urls: 0, sha256: '' })}\n`,
);
