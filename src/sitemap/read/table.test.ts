import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readBytes, urlset } from '../../../test/support/sitemap/collect.ts';

const HOST = 'https://shop.example';
const [A, B, C] = [`${HOST}/a`, `${HOST}/b`, `${HOST}/c`];
const rows = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

/** Tables of which no line says which column is the URL. Nothing of them is read; csv-reader.test.ts has the others. */
const TABLES: Readonly<Record<string, string | Buffer>> = {
  'with quotes and without a header': rows(`"${A}","2024-01-01"`),
  'packed by gzip': gzipSync(rows(`${A},2024-01-01`, `${B},2024-01-02`)),
  'with a header that names no loc or url': rows('page,lastmod', `${A},2024-01-01`),
  'with a loc and a url': rows('loc,url', `${A},${B}`),
  'without a header': rows(`${A},2024-01-01`, `${B},2024-01-02`),
  'of one row without a header': rows(`${A},2024-01-01`),
  'without a header, with tabs': rows(`${A}\t2024-01-01`, `${B}\t2024-01-02`),
  'with dates of the day first': rows(`${A};01.02.2024`, `${B};02.02.2024`),
  'with a changefreq and a priority': rows(`${A},weekly,0.8`, `${B},daily,1.0`),
  'with titles': rows(`${A},Home`, `${B},About us`, `${C},Contact`),
  'with titles and a header of another language': rows('Seite,Titel', `${A},Start`, `${B},Kontakt`),
  'with empty columns': rows(`${A},,`, `${B},,`),
  'with the URL in the second column and without a header': rows(`Home,${A}`, `About,${B}`),
  'with the statuses of a crawl': rows(`${A},200`, `${B},200`, `${C},404`),
  'with the names of a crawler': rows('Address,Status Code', `${A},200`),
  'with the names of a search console': rows('Top pages,Clicks,Impressions', `${A},1,2`, `${B},3,4`),
  'of sources and targets of redirects': rows(`${A},${B}`, `${B},${C}`),
  'separated by vertical lines': rows('loc|lastmod', `${A}|2024-01-01`),
  'in Markdown': rows('| URL | Date |', '| --- | --- |', `| ${A} | 2024-01-01 |`),
  'with a comma at the end of each line': rows(`${A},`, `${B},`),
  'longer than a first look': rows('page,lastmod', ...Array.from({ length: 20_000 }, (_, n) => `${A}-${n},2024-01-01`)),
};
describe('a table is refused', () => {
  for (const [what, document] of Object.entries(TABLES)) {
    for (const chunk of [1_000_000, 100]) {
      test(`${what}, in chunks of ${chunk}`, async () => {
        const { locs, codes, problems } = await readBytes(document, { chunk, path: '/pages.csv' });
        assert.deepEqual([locs, codes], [[], ['error NOT_SITEMAP']]);
        assert.match(
          problems[0]?.message ?? '',
          /a table \(CSV\).*does not name one column loc or url.*one URL a line/,
        );
      });
    }
  }
});

/** Lists of URLs, whatever their URLs look like. */
const LISTS: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'of URLs with commas': [rows(`${A},b`, `${A},c`), [`${A},b`, `${A},c`]],
  'of one URL with a comma': [rows(`${A},b`), [`${A},b`]],
  'of URLs with semicolons': [rows(`${A};b`, `${A};c=1;d=2`), [`${A};b`, `${A};c=1;d=2`]],
  'of articles with a number': [rows(`${A},123`, `${B},456`), [`${A},123`, `${B},456`]],
  'of articles with several': [
    rows(`${HOST}/7,114883,1,a.html`, `${HOST}/7,114883,2,b.html`),
    [`${HOST}/7,114883,1,a.html`, `${HOST}/7,114883,2,b.html`],
  ],
  'of URLs with a vertical line': [rows(`${A}?x=1|2`), [`${A}?x=1|2`]],
  'with a heading': [rows('loc', A, B), [A, B]],
  'with a heading in capitals and CR LF': [`\uFEFFURL\r\n${A}\r\n${B}\r\n`, [A, B]],
  'with a heading, longer than all that is sniffed': [
    rows('Page URL', ...Array.from({ length: 30_000 }, (_, n) => `${A}-${n}`)),
    Array.from({ length: 30_000 }, (_, n) => `${A}-${n}`),
  ],
  'without a last line end': [`${A}\n${B}`, [A, B]],
};
describe('a list of URLs is read', () => {
  for (const [what, [document, locs]] of Object.entries(LISTS)) {
    for (const chunk of [1_000_000, 1_000]) {
      test(`${what}, in chunks of ${chunk}`, async () => {
        const got = await readBytes(document, { chunk, path: '/urls.txt' });
        assert.deepEqual(got.locs, locs);
        assert.deepEqual(
          got.codes.filter((code) => code.startsWith('error')),
          [],
        );
      });
    }
  }
});

test('the size of a read does not decide whether it is a table', async () => {
  const plain = Array.from({ length: 12 }, (_, n) => `${A}-${n}`);
  const document = rows(...plain, ...Array.from({ length: 30 }, (_, n) => `${B}-${n},A title`));
  for (const chunk of [1, 100, 500, 1_024, 1_500, 1_000_000]) {
    const { locs, codes } = await readBytes(document, { chunk, path: '/urls.txt' });
    assert.deepEqual([locs, codes], [plain, ['warning BAD_URL']], String(chunk));
  }
});

test('messages of a program before a sitemap make no table of it', async () => {
  const noise = 'Warning: Undefined index of the home page, in https://shop.example/index.php\n';
  const padding = 'x'.repeat(2_000);
  for (const chunk of [100, 1_000_000]) {
    assert.deepEqual((await readBytes(`${noise}${padding}${urlset(A)}`, { chunk })).locs, [A]);
  }
});

describe('a line that is more than a URL is never a page', () => {
  const LINES: Readonly<Record<string, string>> = {
    'a status': `${B} 200`,
    'an attribute': `${B} lastmod=2024-01-01`,
    'a second URL': `${B} ${C}`,
    'a date of a table': `${B},2024-01-01`,
    'a comment': `${B} # new`,
    'a tab': `${B}\t2024-01-01`,
    'the end of an element': `${B}</loc>`,
    'markup of a word processor': `${B}\\par`,
    'a path with spaces': `${HOST}/my file.pdf`,
  };
  for (const [what, line] of Object.entries(LINES)) {
    test(what, async () => {
      const { locs, codes, problems } = await readBytes(rows(A, line, C, `${C}2`, `${C}3`), { path: '/urls.txt' });
      assert.deepEqual([locs, codes], [[A, C, `${C}2`, `${C}3`], ['warning BAD_URL']]);
      assert.match(problems[0]?.message ?? '', /not one absolute http\(s\) URL and nothing else: https/);
    });
  }

  test('and a document of such lines alone is not complete', async () => {
    const { locs, codes } = await readBytes(rows(`${A} 200 0.1`, `${B} 404 0.2`), { path: '/access.log' });
    assert.deepEqual([locs, codes], [[], ['error EMPTY', 'warning BAD_URL']]);
  });

  test('a password in it is not shown', async () => {
    const { problems } = await readBytes(rows(A, 'https://me:secret@shop.example/b 200'), { path: '/urls.txt' });
    assert.doesNotMatch(JSON.stringify(problems), /secret/);
  });
});

const OTHERS: Readonly<Record<string, string>> = {
  RTF: `{\\rtf1\\ansi\n\\f0 ${A}\\\n${B}\\\n${C}}`,
  'a list in Markdown': rows('# Pages', `- ${A}`, `- ${B}`),
  'links in Markdown': rows(`[a](${A})`, `[b](${B})`),
  'an ordered list in Markdown': rows(`1. ${A}`, `2. ${B}`),
  YAML: rows('urls:', `  - ${A}`, `  - ${B}`),
  'a list of JSON': `[\n  "${A}",\n  "${B}"\n]`,
  'lines of JSON': rows(`{"url":"${A}"}`, `{"url":"${B}"}`),
  'a list of a program': rows('const urls = [', `  "${A}",`, `  "${B}",`, '];'),
  HTML: `<html><body><pre>\n${A}\n${B}\n</pre></body></html>`,
  'a log of a server': rows(`127.0.0.1 - - [01/Jan/2024:00:00:00 +0000] "GET ${A} HTTP/1.1" 200 5`),
  'an Internet shortcut': rows('[InternetShortcut]', `URL=${A}`),
  'an old Excel file': `\xd0\xcf\x11\xe0\n${A}\n`,
};
describe('another document with URLs in it is refused', () => {
  for (const [what, document] of Object.entries(OTHERS)) {
    test(what, async () => {
      const { locs, codes } = await readBytes(Buffer.from(document, 'latin1'), { path: '/pages' });
      assert.deepEqual([locs, codes], [[], ['error NOT_SITEMAP']]);
    });
  }
});
