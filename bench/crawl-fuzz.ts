// npm run fuzz:crawl [-- MINUTES [SEED]]: generated documents against two strict parsers, and damaged ones against the
// promises that hold for all bytes. Stops at the first disagreement and prints its seed.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { normalizeUrl } from '../src/url/normalize-url.ts';
import { readBytes } from '../test/support/sitemap/collect.ts';
import { damage, generateDocument, seeded } from '../test/support/sitemap/documents.ts';
import { readWithFastXmlParser, readWithSaxes } from '../test/support/sitemap/oracles.ts';
import { readRecords } from '../test/support/sitemap/read-records.ts';
import { KEPT_SEEDS } from './crawl-fuzz-seeds.ts';

/** CPU time that no generated document may need; a few milliseconds are usual. */
const SLOW_MS = 3_000;

const minutes = Number(process.argv[2] ?? 10);
const from = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
const until = Date.now() + minutes * 60_000;
let documents = 0;
let records = 0;

async function wellFormed(seed: number): Promise<void> {
  const { text, root } = generateDocument(seed);
  const random = seeded(seed);
  const expected = readWithSaxes(text);
  const got = readRecords(Buffer.from(text), () => Math.floor(random() * random() * 3_000));
  assert.deepEqual(got.records, root === 'urlset' ? expected : expected.map(({ loc }) => ({ loc, lastmod: null })));
  assert.deepEqual(
    got.problems.filter((problem) => problem.startsWith('error')),
    [],
  );
  if (!text.includes('__proto__')) assert.deepEqual(readWithFastXmlParser(text), expected);
  records += got.records.length;
}

async function damaged(seed: number): Promise<void> {
  const bytes = damage(generateDocument(seed).text, seed);
  const random = seeded(seed);
  const whole = readRecords(bytes, () => bytes.length);
  assert.deepEqual(
    readRecords(bytes, () => 1 + Math.floor(random() * 60)),
    whole,
  );
  // The same through everything before the reader, packed and cut as well: it ends, and with something said.
  const packed = gzipSync(bytes);
  const cut = random() < 0.5 ? packed : packed.subarray(0, Math.floor(random() * packed.length));
  const { entries, children, problems } = await readBytes(cut, { chunk: 1 + Math.floor(random() * 2_000) });
  assert.ok(entries.length + children.length + problems.length > 0, 'nothing was read and nothing was said');
  for (const { url } of entries) {
    const again = url === null ? undefined : normalizeUrl(url);
    assert.ok(again === undefined || (again.ok && again.url === url), `${url} is not its own normal form`);
  }
}

async function tryOne(seed: number): Promise<void> {
  const before = process.cpuUsage();
  try {
    await wellFormed(seed);
    await damaged(seed);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < SLOW_MS * 1_000, 'too slow');
  } catch (error) {
    process.stderr.write(
      `seed ${seed} (${documents} documents were fine before it): keep it in bench/crawl-fuzz-seeds.ts\n`,
    );
    throw error;
  }
  documents += 1;
}

for (const seed of KEPT_SEEDS) await tryOne(seed);
for (let seed = from; Date.now() < until; seed += 1) await tryOne(seed);
process.stdout.write(
  `${documents} documents twice over (seeds ${from} to ${from + documents - KEPT_SEEDS.length - 1}), ${records} records in ${minutes} minutes: no crash, no hang, no disagreement\n`,
);
