import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { readBytes } from '../../test/support/sitemap/collect.ts';
import { Block } from './read/block.ts';
import { RecordCollector } from './record-collector.ts';

const pieces = fc.constantFrom(
  ...[
    '/',
    'a',
    'ç',
    '日本',
    '😀',
    '&amp;',
    '&amp;amp;',
    '&lt;',
    '&',
    '%C3%BC',
    '%2e',
    '.',
    '?q=',
    ' ',
    '\u00a0',
    '\u0085',
  ],
  ...['\u3000', '\ufeff', '\ufffd', '\uff11', "'", '#x', '|', 'ü'.repeat(340), '&amp;'.repeat(410)],
);
const locs = fc.tuple(
  fc.constantFrom('https://shop.example/', 'https://shop.example/', 'https://çay.example/', 'http://shop.example', ''),
  fc.array(pieces, { maxLength: 4 }),
);
const lastmods = fc.constantFrom(
  '',
  '<lastmod>2026-01-01</lastmod>',
  '<lastmod>çay</lastmod>',
  '<lastmod>2999-01-01</lastmod>',
);
const odd = fc.tuple(locs, lastmods).map(([[origin, path], lastmod]) => {
  return `<url><loc>${origin}${path.join('')}</loc>${lastmod}</url>`;
});
const usual = fc.constantFrom('ç', '日本?a=1&amp;b=ü', 'a').map((path) => {
  return `<url><loc>https://shop.example/${path}</loc><lastmod>2026-01-01</lastmod></url>`;
});
const records = fc.oneof(usual, odd);

/** Reads a document; `asStrings`: no page is taken as bytes. */
async function read(document: Buffer, asStrings: boolean): Promise<unknown> {
  const taken = mock.method(RecordCollector.prototype, 'rawPage');
  if (asStrings) taken.mock.mockImplementation(() => false);
  try {
    return await readBytes(document);
  } finally {
    letters += taken.mock.calls.filter(({ result, arguments: [block] }) => result === true && !block.isAscii).length;
    taken.mock.restore();
  }
}

let letters = 0;

describe('pages as bytes', () => {
  test('have the loc, the URL, the lastmod and the problems that strings give them', async () => {
    const documents = fc.array(records, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(documents, fc.boolean(), async (pages, isBroken) => {
        const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}</urlset>`;
        const document = Buffer.from(text);
        // The second byte of ç, so that a text is not UTF-8.
        const letter = document.lastIndexOf(0xa7);
        if (isBroken && letter > 0) document[letter] = 0xff;
        assert.deepEqual(await read(document, false), await read(document, true));
      }),
      { numRuns: 100 },
    );
    assert.ok(letters > 200, `${letters} pages were taken from documents with letters beyond ASCII`);
  });

  test('as lines are the URLs that entries have, with the same problems, however the document is cut', async () => {
    const documents = fc.array(records, { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(documents, fc.boolean(), fc.integer({ min: 1, max: 4_000 }), async (pages, isBroken, chunk) => {
        const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}</urlset>`;
        const document = Buffer.from(text);
        const letter = document.lastIndexOf(0xa7);
        if (isBroken && letter > 0) document[letter] = 0xff;
        const whole = await readBytes(document);
        const lines = await readBytes(document, { lines: true, chunk });
        assert.equal(lines.lines, whole.entries.map(({ url }) => (url === null ? '' : `${url}\n`)).join(''));
        assert.deepEqual(lines.problems, whole.problems);
        assert.deepEqual(lines.entries, []);
      }),
      { numRuns: 200 },
    );
  });

  test('that a recognizer does not know keep no more of a large sitemap than their own texts', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const collector = new RecordCollector({
      sitemap: 'test',
      base: undefined,
      budget: { urls: 0, isSpent: false, maxUrls: 1_000, maxSitemaps: 1 },
      now: Date.parse('2026-11-21T00:00:00Z'),
      skip: 0,
      recognizer: { find: () => -1, findNext: () => -1 },
    });
    const record = Buffer.from('https://shop.example/a-page 2026-01-01');
    const fields = { locFrom: 0, locTo: 27, lastmodFrom: 28, lastmodTo: record.length, end: record.length };
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let read = 0; read < 400; read += 1) {
      const bytes = Buffer.alloc(64 * 1024, ' ');
      record.copy(bytes);
      assert.equal(collector.rawPage(new Block(bytes), fields), true);
    }
    collectGarbage();
    const kept = process.memoryUsage().heapUsed - before;
    const batch = collector.takeBatch();
    assert.equal(batch.type === 'entries' && batch.entries.length, 400);
    assert.ok(kept < 2_000_000, `${kept} bytes of 26 MB`);
  });
});
