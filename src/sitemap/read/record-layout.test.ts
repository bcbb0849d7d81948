import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { DOCUMENTS, damage, seeded } from '../../../test/support/sitemap/documents.ts';
import { readRecords } from '../../../test/support/sitemap/read-records.ts';
import { Block } from './block.ts';
import { ChildLayout } from './child-layout.ts';
import { RecordLayouts } from './record-layout.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** Records as one program writes them: a few layouts, the same again and again. */
function writeAlike(seed: number): string {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const prefix = pick(['', '', 's:']);
  const gap = pick(['', '\n', '\n  ']);
  const tag = (name: string, text: string) => `<${prefix}${name}>${text}</${prefix}${name}>${gap}`;
  const loc = () =>
    pick([
      'https://a.example/1',
      'https://a.example/?a=1&amp;b=2',
      ' https://a.example/ü ',
      '',
      'x & y',
      'https://a.example/%20',
    ]);
  const lastmod = () => pick(['2026-01-01', '2026-01-01T10:00:00Z', '', ' 2026-02-02 ']);
  const layouts = [
    () => `${gap}${tag('loc', loc())}`,
    () => `${gap}${tag('loc', loc())}${tag('lastmod', lastmod())}`,
    () => `${gap}${tag('loc', loc())}${tag('lastmod', lastmod())}${tag('priority', pick(['0.5', '1.0']))}`,
    () => `${gap}${tag('lastmod', lastmod())}${tag('loc', loc())}`,
    () => `${gap}<${prefix}loc><![CDATA[${loc()}]]></${prefix}loc>`,
    () =>
      `${gap}${tag('loc', loc())}<!-- note --><image:image><image:loc>https://a.example/i</image:loc></image:image>`,
  ];
  const used = [pick(layouts), pick(layouts), pick(layouts)];
  const records = Array.from({ length: 30 }, () => tag('url', pick(used)()));
  const images = pick(['', ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"']);
  const declared = prefix === '' ? NS : NS.replace('xmlns', 'xmlns:s');
  return `<${prefix}urlset ${declared}${images}>${records.join('')}</${prefix}urlset>`;
}

/** Records with children of any number, as programs write them for images, videos and languages. */
function writeWithChildren(seed: number): string {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const n = () => Math.floor(random() * 1_000);
  const text = () => pick(['a', 'Güzel & iyi', '', ' ', 'a > b', '&lt;x&gt;', 'a="b"', '`']);
  const usual = [
    () => `<xhtml:link rel="alternate" hreflang="tr" href="https://a.example/${n()}?a=1&amp;b='2'"/>`,
    () =>
      `<image:image>\n<image:loc>https://a.example/${n()}.jpg</image:loc>${random() < 0.5 ? `<image:title>${text()}</image:title>` : ''}</image:image>`,
    () => `<image:image><image:loc><![CDATA[https://a.example/${n()}<b>]]></image:loc></image:image>`,
    () =>
      `<video:video><video:title>${text()}</video:title><video:tag/><video:price currency="EUR">${n()}</video:price></video:video>`,
    () => `<priority>0.${n()}</priority>`,
  ];
  const odd = [
    '<loc>https://a.example/second</loc>',
    '<lastmod>2026-01-01</lastmod>',
    '<lastmod></lastmod>',
    '<image:loc>https://a.example/no-page</image:loc>',
    '<other:x>1</other:x>',
    '<y xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><loc>x</loc></y>',
    '<y xmlns:other="http://other.example/"><other:x/></y>',
    '<y a=\'"\' b="\'"/>',
    '<y a="1 > 0">x</y>',
    '<y a="<x>">x</y>',
    '<!-- <url> -->',
    '<?php echo 1 ?>',
    '<y><url><loc>https://a.example/nested</loc></url></y>',
    '<y><z></y></z>',
    '</image:image>',
    '<y>',
    '<y><![CDATA[a]]b]]></y>',
    'text between',
    '< y>',
  ];
  const rarity = random() * random() * 0.1;
  const used = usual.filter(() => random() < 0.7);
  const child = () => (random() < rarity || used.length === 0 ? pick(odd) : pick(used)());
  const children = () => Array.from({ length: Math.floor(random() * 5) }, child).join(pick(['\n', '']));
  const before = random() < 0.1 ? children : () => '';
  const record = () =>
    `<url>${before()}<loc>https://a.example/${n()}</loc>${random() < 0.8 ? `<lastmod>2026-01-0${1 + (n() % 9)}</lastmod>` : ''}${children()}</url>\n`;
  const spaces = ['image', 'video', 'xhtml'].map((name) => ` xmlns:${name}="http://${name}.example/"`);
  const declared = spaces.filter(() => random() < 0.9).join('');
  return `<urlset ${NS}${declared}>${Array.from({ length: 600 }, record).join('')}</urlset>`;
}

/** Reads a document with the tokenizer alone. */
function readTokenized(bytes: Buffer) {
  const match = mock.method(RecordLayouts.prototype, 'match', () => false);
  try {
    return readRecords(bytes, () => bytes.length);
  } finally {
    match.mock.restore();
  }
}

describe('records of a known layout', () => {
  test(`${DOCUMENTS} documents, whole and damaged, read as the tokenizer alone reads them`, () => {
    const match = mock.method(RecordLayouts.prototype, 'match');
    for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
      const text = writeAlike(seed);
      for (const bytes of [Buffer.from(text), damage(text, seed)]) {
        assert.deepEqual(
          readRecords(bytes, () => bytes.length),
          readTokenized(bytes),
          `seed ${seed}`,
        );
      }
    }
    const known = match.mock.calls.filter(({ result }) => result === true).length;
    match.mock.restore();
    assert.ok(known > DOCUMENTS * 10, `only ${known} records had a known layout: this test would prove nothing`);
  });

  test('documents whose records have children read as the tokenizer alone reads them', () => {
    const match = mock.method(RecordLayouts.prototype, 'match');
    const findEnd = mock.method(ChildLayout.prototype, 'findEnd');
    for (let seed = 1; seed <= DOCUMENTS / 25; seed += 1) {
      const random = seeded(seed);
      const text = writeWithChildren(seed);
      for (const bytes of [Buffer.from(text), damage(text, seed)]) {
        const size = random() < 0.5 ? bytes.length : 5_000;
        assert.deepEqual(
          readRecords(bytes, () => size),
          readTokenized(bytes),
          `seed ${seed}`,
        );
      }
    }
    const known = match.mock.calls.filter(({ result }) => result === true).length;
    const children = findEnd.mock.calls.filter(({ result = -1 }) => result > 0).length;
    mock.restoreAll();
    assert.ok(known > DOCUMENTS * 6 && children > DOCUMENTS * 12, `${known} known records, ${children} known children`);
  });

  test('a record is read wherever a block of the document ends in it, and where the document does', () => {
    const record = (n: number) =>
      `<url><loc>https://a.example/${n}</loc><lastmod>2026-01-01</lastmod><image:image><image:loc>https://a.example/${n}.jpg</image:loc></image:image></url>`;
    const records = Array.from({ length: 480 }, (_, n) => record(n));
    // Longer than what waits for the next block.
    records[470] = record(470).replace('.jpg', 'x'.repeat(6_000));
    const { length } = record(100);
    for (let shift = 0; shift <= length; shift += 1) {
      const head = `<urlset ${NS} xmlns:image="http://image.example/"><!--${'x'.repeat(shift)}-->`;
      const whole = Buffer.from(`${head}${records.join('')}</urlset>`);
      const read = readRecords(whole, () => whole.length);
      assert.deepEqual([read.records.length, read.problems], [480, []], `shift ${shift}`);
      const cut = Buffer.from(`${head}${records.slice(0, 450).join('')}${record(450).slice(0, shift)}`);
      const broken = readRecords(cut, () => cut.length);
      assert.equal(broken.records.length, shift < length ? 450 : 451, `shift ${shift}`);
    }
  });

  test('a second root with another namespace forgets the layouts of the first', () => {
    const record = '<x:url><x:loc>https://a.example/</x:loc></x:url>';
    const first = `<x:urlset xmlns:x="http://www.sitemaps.org/schemas/sitemap/0.9">${record}${record}</x:urlset>`;
    const second = `<urlset ${NS} xmlns:x="http://other.example/">${record}</urlset>`;
    const bytes = Buffer.from(first + second);
    assert.equal(readRecords(bytes, () => bytes.length).records.length, 2);
  });

  test('records that are all different do not cost the layouts of records that repeat', () => {
    const layouts = new RecordLayouts();
    for (let n = 0; n < 500; n += 1) {
      const text = Buffer.from(`<url n="${n}"><loc>a</loc></url>`);
      assert.equal(layouts.match(new Block(text), 0), false);
      layouts.begin(0);
      layouts.field('loc', text.indexOf('a<'), text.indexOf('a<') + 1);
      layouts.learn(new Block(text), text.indexOf('</url>'), text.length, 'url', 1);
    }
    assert.equal(
      layouts.match(new Block(Buffer.from('<url n="499"><loc>b</loc></url>')), 0),
      false,
      'it has stopped learning',
    );
  });
});
