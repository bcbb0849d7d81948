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
const PAGES = 300_000;
const run = (...args: string[]) => courier(folder, 'crawl', ...args);

describe('courier crawl --compare', () => {
  test('prints what is new, changed and gone between two sitemaps', async () => {
    assert.equal(await print('--compare', old, now), `${CHANGED}${ROWS}`);
  });

  test('takes what --json has printed on both sides, and a list of URLs', async () => {
    const [savedOld, savedNow] = ['old', 'now'].map((name) => join(folder, `${name}.ndjson`)) as [string, string];
    writeFileSync(savedOld, await print('--json', old));
    writeFileSync(savedNow, await print('--json', now));
    for (const [before, after] of [
      [savedOld, now],
      [old, savedNow],
      [savedOld, savedNow],
    ] as const) {
      assert.equal(await print('--compare', before, after), `${CHANGED}${ROWS}`);
    }
    const list = join(folder, 'old.txt');
    writeFileSync(list, await print(old));
    assert.equal(await print('--compare', list, now), ROWS);
  });

  test('judges dates as of the time of --as-of', async () => {
    const soon = join(folder, 'soon.xml');
    writeFileSync(soon, write({ b: '2026-02-01', a: '2026-01-01', c: '2026-01-01' }));
    assert.equal(await print('--as-of', '2026-01-10', '--compare', old, soon), '');
    const row = `changed  ${url('b')}  2026-01-01 → 2026-02-01\n`;
    assert.equal(await print('--as-of', '2026-01-31', '--compare', old, soon), row);
  });

  test('of many dated pages needs less memory than the heap of a crawl', { timeout: 120_000 }, async () => {
    const [many, more] = ['many.csv', 'more.csv'].map((name) => join(folder, name)) as [string, string];
    const csv = (from: number) =>
      `loc,lastmod\n${Array.from({ length: PAGES }, (_, n) => `${url(`page-${from + n}`)},2026-01-01T10:00:00Z\n`).join('')}`;
    writeFileSync(many, csv(0));
    writeFileSync(more, csv(1));
    assert.equal(await print('--compare', many, more), `new      ${url(`page-${PAGES}`)}\ngone     ${url('page-0')}\n`);
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

  const begin = '{"type":"version","schema":1}\n';
  const damages: Readonly<Record<string, string>> = {
    'no JSON': '{"type":"url","loc":"https:',
    null: 'null',
    'a number': '1',
    'a page without a loc': '{"type":"url","lastmod":null}',
    'a page that is no URL': '{"type":"url","loc":"shop","lastmod":null}',
    'a date that is no text': `{"type":"url","loc":"${url('a')}","lastmod":1}`,
  };
  for (const [name, line] of Object.entries(damages)) {
    test(`names the line of a saved crawl that holds ${name}`, async () => {
      const damaged = join(folder, 'damaged.ndjson');
      writeFileSync(damaged, `${begin}${line}\n`);
      for (const args of [['--compare', damaged, now], ['--compare', now, damaged], [damaged]]) {
        const { code, stderr } = await run(...args);
        assert.equal(code, 2);
        assert.match(
          stderr,
          /damaged\.ndjson:2 is not a record of courier crawl --json, so what follows it was not read\./,
        );
      }
    });
  }

  test('names an old crawl that is not there', async () => {
    assert.match((await run('--compare', join(folder, 'none.xml'), now)).stderr, /There is no file/);
  });
});

describe('courier crawl of what --json has printed', () => {
  test('gives the pages, the dates and the completeness of that crawl', async () => {
    const relative = join(folder, 'relative.xml');
    writeFileSync(
      relative,
      write({ a: '2026-01-01', 'ü?b': 'yesterday' }).replace('</urlset>', '<url><loc>/r</loc></url></urlset>'),
    );
    const saved = join(folder, 'saved.ndjson');
    writeFileSync(saved, await print('--json', relative));
    assert.equal(await print(saved), await print(relative));
    const pages = ofType(await run(saved), 'url').map((record) => ({ ...record, sitemap: relative }));
    assert.deepEqual(pages, ofType(await run(relative), 'url'));
    const [whole, cut] = [await run(saved), join(folder, 'cut.ndjson')];
    writeFileSync(cut, (await print('--json', relative)).split('\n').slice(0, 2).join('\n'));
    assert.deepEqual([whole.code, whole.records.at(-1)?.urls, whole.records.at(-1)?.sitemaps], [0, 2, 1]);
    assert.deepEqual([(await run(cut)).code, (await run(cut)).records.at(-1)?.complete], [3, false]);
    assert.deepEqual((await run(saved, old)).records.at(-1)?.urls, 5);
  });

  test('judges its dates as of the time of --as-of', async () => {
    const saved = join(folder, 'dated.ndjson');
    writeFileSync(saved, await print('--json', now));
    const ran = await run('--stats', '--as-of', '2026-01-02T12:00:00Z', saved);
    const [{ lastmod_ages: ages } = {}] = ofType(ran, 'crawl_stats');
    assert.deepEqual([ran.code, ages], [0, { day: 2, week: 1, month: 0, year: 0, older: 0, future: 0 }]);
    const early = await run('--as-of', '2025-12-01', saved);
    const problems = early.records.at(-1)?.problems;
    assert.match(JSON.stringify(problems), /"code":"LASTMOD_FUTURE","severity":"warning","message":"[^"]+","count":3/);
  });
});
