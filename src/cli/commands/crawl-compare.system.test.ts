import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { courier, ofType, printCourier } from '../../../test/support/cli.ts';

const url = (path: string) => `https://shop.example/${path}`;
const write = (pages: Readonly<Record<string, string>>) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Object.entries(pages)
    .map(([path, date]) => `<url><loc>${url(path)}</loc><lastmod>${date}</lastmod></url>`)
    .join('')}</urlset>`;

let folder: string;
let old: string;
let now: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'courier-compare-'));
  old = join(folder, 'old.xml');
  now = join(folder, 'now.xml');
  writeFileSync(old, write({ a: '2026-01-01', b: '2026-01-01', c: '2026-01-01' }));
  writeFileSync(now, write({ a: '2026-01-01', b: '2026-01-02', d: '2026-01-02' }));
});
after(() => rm(folder, { recursive: true }));

const ROWS = `new      ${url('d')}\ngone     ${url('c')}\n`;
const CHANGED = `changed  ${url('b')}  2026-01-01 → 2026-01-02\n`;
const print = (...args: string[]) => printCourier(folder, 'crawl', ...args);
const run = (...args: string[]) => courier(folder, 'crawl', ...args);

describe('courier crawl --compare', () => {
  test('prints what is new, changed and gone between two sitemaps', async () => {
    assert.equal(await print('--compare', old, now), `${CHANGED}${ROWS}`);
  });

  test('takes what --json has printed, and a list of URLs, for the old crawl', async () => {
    const saved = join(folder, 'old.ndjson');
    writeFileSync(saved, await print('--json', old));
    assert.equal(await print('--compare', saved, now), `${CHANGED}${ROWS}`);
    const list = join(folder, 'old.txt');
    writeFileSync(list, await print(old));
    assert.equal(await print('--compare', list, now), ROWS);
  });

  test('--json prints a record for each page that differs, and the counts', async () => {
    const ran = await run('--compare', old, now);
    assert.deepEqual(
      ofType(ran, 'page_change').map(({ change, url: page, lastmod, old_lastmod: was }) => [
        change,
        page,
        lastmod,
        was,
      ]),
      [
        ['changed', url('b'), '2026-01-02', '2026-01-01'],
        ['new', url('d'), '2026-01-02', null],
        ['gone', url('c'), null, '2026-01-01'],
      ],
    );
    const counts = { old_urls: 3, old_complete: true, unique_urls: 3, new: 1, changed: 1, gone: 1 };
    assert.deepEqual([ran.code, ran.records.at(-1)?.comparison], [0, counts]);
    assert.match(ran.stderr, /^New 1; changed 1; gone 1\. 3 pages against 3\.$/m);
  });

  test('an old crawl that was cut off shows no page as new, and exits with 3', async () => {
    const cut = join(folder, 'cut.ndjson');
    writeFileSync(cut, (await print('--json', old)).split('\n').slice(0, 3).join('\n'));
    assert.equal(await print('--compare', cut, now), CHANGED);
    const { code, stderr } = await run('--compare', cut, now);
    assert.equal(code, 3);
    assert.match(stderr, /^New unknown: the old crawl is not complete; changed 1; gone 0\. 3 pages against 2\.$/m);
  });

  const usage: readonly (readonly [readonly string[], RegExp])[] = [
    [['--state', 'state'], /not together with --state\. Nothing was read\./],
    [['--stats'], /not together with --stats/],
  ];
  for (const [args, message] of usage) {
    test(`refuses ${args.join(' ')}`, async () => {
      const { code, stderr } = await run('--compare', old, ...args, now);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }

  test('names the line of a saved crawl that is damaged, and an old crawl that is not there', async () => {
    const damaged = join(folder, 'damaged.ndjson');
    writeFileSync(damaged, '{"type":"version","schema":1}\n{"type":"url","loc":"https:\n');
    const { code, stderr } = await run('--compare', damaged, now);
    assert.equal(code, 2);
    assert.match(stderr, /damaged\.ndjson:2 is not a record of courier crawl --json\. Nothing was compared\./);
    assert.match((await run('--compare', join(folder, 'none.xml'), now)).stderr, /There is no file/);
  });
});
