import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DOCUMENTS, damage, generateDocument, seeded } from '../../../test/support/sitemap/documents.ts';
import { readWithFastXmlParser, readWithSaxes } from '../../../test/support/sitemap/oracles.ts';
import { readRecords } from '../../../test/support/sitemap/read-records.ts';

describe('differential', () => {
  test(`${DOCUMENTS} well-formed documents read as two strict parsers read them`, () => {
    let pages = 0;
    for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
      const { text, root } = generateDocument(seed);
      const random = seeded(seed);
      const expected = readWithSaxes(text);
      const { records, problems } = readRecords(Buffer.from(text), () => Math.floor(random() * random() * 3_000));
      const comparable = root === 'urlset' ? expected : expected.map(({ loc }) => ({ loc, lastmod: null }));
      assert.deepEqual(records, comparable, `seed ${seed} against saxes`);
      assert.deepEqual(
        problems.filter((problem) => problem.startsWith('error')),
        [],
        `seed ${seed}`,
      );
      // fast-xml-parser throws on an element with this name, and so cannot say anything about the document.
      if (!text.includes('__proto__')) {
        assert.deepEqual(readWithFastXmlParser(text), expected, `seed ${seed}: the oracles disagree`);
      }
      pages += records.length;
    }
    assert.ok(pages > DOCUMENTS, 'hardly anything was generated: this test would prove nothing');
  });

  test(`${DOCUMENTS} damaged documents read the same in chunks of any size`, () => {
    for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
      const { text } = generateDocument(seed);
      const bytes = damage(text, seed);
      const random = seeded(seed);
      const whole = readRecords(bytes, () => bytes.length);
      assert.deepEqual(
        readRecords(bytes, () => 1 + Math.floor(random() * 40)),
        whole,
        `seed ${seed}`,
      );
    }
  });

  test('a document that is cut anywhere yields its first pages and an error', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const bytes = Buffer.from(generateDocument(seed).text);
      const { records } = readRecords(bytes, () => bytes.length);
      const end = bytes.lastIndexOf('</');
      const cut = 1 + Math.floor(seeded(seed)() * (end - 1));
      const got = readRecords(bytes.subarray(0, cut), () => cut);
      assert.deepEqual(got.records, records.slice(0, got.records.length), `seed ${seed}, cut at ${cut}`);
      assert.ok(
        got.problems.some((problem) => problem.startsWith('error')),
        `seed ${seed}, cut at ${cut}`,
      );
    }
  });
});
