import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readBytes } from '../../test/support/sitemap/collect.ts';

/** Real sitemaps are not part of this repository. The test reads them when a folder with them exists. */
const folder =
  process.env.COURIER_TEST_SITEMAP_CORPUS ?? fileURLToPath(new URL('../../../shared/data/sitemaps', import.meta.url));

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

/** Files that the manifest calls ambiguous, with our decision: texts that are not URLs are refused. */
const DECIDED: Readonly<Record<string, readonly string[]>> = { 'ai-101dave-markdown-links.xml': [] };

const digest = (texts: readonly string[]) =>
  createHash('sha256')
    .update([...texts].sort().join('\n'))
    .digest('hex');

if (!existsSync(join(folder, 'manifest.json'))) {
  test('real sitemaps read as expected', {
    skip: 'set COURIER_TEST_SITEMAP_CORPUS to a folder of real sitemaps',
  }, () => {});
} else {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: Sample[] };
  describe('real sitemaps', () => {
    for (const { file, kind, expect, expect_alt: alternative, prefer } of files) {
      test(file, async () => {
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
  });
}
