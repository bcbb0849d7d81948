import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readBytes } from '../../test/support/sitemap/collect.ts';

/** Real sitemaps are not part of this repository; where a folder of them lies beside it, they are read. */
const folder =
  process.env.COURIER_SITEMAP_CORPUS ?? fileURLToPath(new URL('../../../shared/data/sitemaps', import.meta.url));

interface Expected {
  readonly count: number;
  readonly urls?: readonly string[];
  readonly sha256?: string;
}
interface Sample {
  readonly file: string;
  readonly kind: string;
  readonly expect: Expected;
  readonly expect_alt?: Expected;
  readonly prefer?: string;
}

/** What the manifest calls ambiguous, and we have decided: texts that are no URL are left out and told. */
const DECIDED: Readonly<Record<string, readonly string[]>> = { 'ai-101dave-markdown-links.xml': [] };

const digest = (texts: readonly string[]) =>
  createHash('sha256')
    .update([...texts].sort().join('\n'))
    .digest('hex');

if (!existsSync(join(folder, 'manifest.json'))) {
  test(`the corpus of real sitemaps is not here (COURIER_SITEMAP_CORPUS names its folder): nothing was read`, () => {});
} else {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: Sample[] };
  for (const { file, kind, expect, expect_alt: alternative, prefer } of files) {
    test(`${file} reads as expected`, async () => {
      const { locs, children } = await readBytes(readFileSync(join(folder, file)), {
        base: undefined,
        path: kind === 'robots' ? '/robots.txt' : file,
      });
      const expected = prefer === 'expect_alt' && alternative !== undefined ? alternative : expect;
      const got = kind === 'index' || kind === 'robots' ? children : locs;
      if (file in DECIDED) assert.deepEqual(got, DECIDED[file]);
      else if (expected.urls !== undefined) assert.deepEqual(got, expected.urls);
      else assert.deepEqual([got.length, digest(got)], [expected.count, expected.sha256]);
    });
  }
}
