/** How many documents a property of the readers meets. */
export const DOCUMENTS = Number(process.env.COURIER_TEST_DOCUMENTS ?? 1_000);
/** A generator of numbers in [0, 1) from a seed: a document that failed can be made again. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SITEMAP = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const LETTERS = [
  'a',
  'B',
  '7',
  '-',
  '_',
  '.',
  '~',
  '%20',
  '%C3%A7',
  'ç',
  'ı',
  '茶',
  '🍵',
  "'",
  '!',
  '(',
  ')',
  ';',
  ':',
  '@',
  '+',
  ',',
];

export interface Generated {
  readonly text: string;
  readonly root: 'urlset' | 'sitemapindex';
}

/**
 * A well-formed sitemap of every shape that the grammar allows: prefixes, namespaces declared anywhere, CDATA, comments
 * and instructions at any place, entities, attributes with any quotes, extensions, unknown elements, text between.
 */
export function generateDocument(seed: number): Generated {
  const random = seeded(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const often = (chance: number) => random() < chance;
  const times = <T>(n: number, make: () => T) => Array.from({ length: n }, make);

  const root = often(0.8) ? 'urlset' : 'sitemapindex';
  const record = root === 'urlset' ? 'url' : 'sitemap';
  const prefix = pick(['', '', '', 's:', 'sitemap:']);
  const space = () => pick(['', '', '\n', '  ', '\r\n\t', ' \n ']);
  const gap = () => pick([' ', '\n', '  ', '\t', '\r\n']);
  const comment = () =>
    pick([
      '<!-- -->',
      '<!---->',
      '<!-- <url><loc>https://no.example/</loc></url> -->',
      '<!-- ]]> & < > " -->',
      '<!-- - -->',
    ]);
  const instruction = () => pick(['<?pi?>', '<?xsl href="a > b"?>', '<?php echo "<loc>"; ?>']);
  const between = () => space() + (often(0.1) ? comment() : '') + (often(0.03) ? instruction() : '') + space();

  const escaped = (text: string) =>
    [...text]
      .map((letter) => {
        if (letter === '&') return pick(['&amp;', '&#38;', '&#x26;', '&#x00026;']);
        if (letter === '<') return pick(['&lt;', '&#60;']);
        if (letter === '>') return pick(['&gt;', '>']);
        if (letter === '"' || letter === "'") return pick([letter, letter === '"' ? '&quot;' : '&apos;']);
        return often(0.02) ? `&#x${letter.codePointAt(0)!.toString(16)};` : letter;
      })
      .join('');
  const cdata = (text: string) => `<![CDATA[${text}]]>`;
  /** A text cut into pieces that are written in different ways, with comments and instructions between them. */
  const written = (text: string): string => {
    const letters = [...text];
    const at = below(letters.length + 1);
    if (often(0.8)) return often(0.85) ? escaped(text) : cdata(text);
    return (
      written(letters.slice(0, at).join('')) +
      pick(['', comment(), instruction()]) +
      escaped(letters.slice(at).join(''))
    );
  };
  const address = () =>
    `${pick(['https', 'http'])}://${pick(['shop.example', 'www.shop.example:8080', 'xn--mnchen-3ya.example'])}/` +
    times(below(12), () => pick(LETTERS)).join('') +
    (often(0.3)
      ? `?${times(1 + below(3), () => `${pick(LETTERS)}=${pick(['1', '<', '>', '"', pick(LETTERS)])}`).join('&')}`
      : '');

  const attribute = (name: string) => {
    const value = pick(['', 'x', 'a > b', 'x=y', "it's", 'say "so"', '&lt;loc&gt;', 'ü', '/', '/>', ' ']);
    const quote = value.includes('"') ? "'" : value.includes("'") ? '"' : pick(['"', "'"]);
    return `${gap()}${name}${pick(['', '', ' '])}=${pick(['', '', ' '])}${quote}${value}${quote}`;
  };
  const attributes = () =>
    ['k', 'hreflang', 'data-x', 'href']
      .filter(() => often(0.15))
      .map(attribute)
      .join('');
  const element = (name: string, inner: string, more = '') => {
    const tag = `${name}${attributes()}${more}${pick(['', '', '', ' ', '\n'])}`;
    return inner === '' && often(0.5) ? `<${tag}/>` : `<${tag}>${inner}</${name}${pick(['', '', ' '])}>`;
  };
  const junk = (depth: number): string =>
    element(
      pick([
        'x',
        'image:image',
        'image:loc',
        'video:loc',
        'news:title',
        'xhtml:link',
        'Location',
        'lo',
        'locs',
        'ü',
        '__proto__',
      ]),
      depth === 0 || often(0.5)
        ? pick(['', escaped('text & more'), cdata('<loc>no</loc> ]] >')])
        : between() + junk(depth - 1) + between(),
    );
  const recordText = (): string => {
    const fields = [
      ...(often(0.95) ? [element(`${prefix}loc`, space() + written(address()) + space())] : []),
      ...(often(0.6)
        ? [
            element(
              `${prefix}lastmod`,
              space() + written(pick(['2026-11-21', '2026-11-21T10:00:00+03:00', '1997', 'soon'])) + space(),
            ),
          ]
        : []),
      ...(often(0.4) ? [element(`${prefix}changefreq`, 'daily'), element(`${prefix}priority`, '0.5')] : []),
      ...times(often(0.3) ? below(4) : 0, () => junk(2)),
    ];
    for (let at = fields.length - 1; at > 0; at -= 1) {
      const other = below(at + 1);
      [fields[at], fields[other]] = [fields[other]!, fields[at]!];
    }
    return element(`${prefix}${record}`, between() + fields.join(between()) + between());
  };

  const spaces = [
    prefix === '' ? `xmlns="${SITEMAP}"` : `xmlns:${prefix.slice(0, -1)}="${SITEMAP}"`,
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
    "xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'",
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
    'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  ];
  const head = often(0.8)
    ? `<?xml version="1.0"${often(0.7) ? ` encoding=${pick(['"UTF-8"', "'utf-8'"])}` : ''}?>`
    : '';
  const body = times(below(often(0.05) ? 400 : 12), () => (often(0.05) ? junk(2) : recordText()));
  const doctype = often(0.05) ? '<!DOCTYPE urlset>' : '';
  const text =
    head +
    (head === '' ? '' : between()) +
    doctype +
    (head === '' ? '' : between()) +
    `<${prefix}${root}${spaces.map((name) => gap() + name).join('')}${attribute('v')}>${between()}${body.join(between())}${between()}</${prefix}${root}>` +
    (often(0.2) ? `\n${comment()}` : '') +
    pick(['', '\n']);
  return { text, root };
}

const DAMAGE = [
  '<',
  '>',
  '&',
  '"',
  "'",
  '/',
  '<url>',
  '</url>',
  '<loc>',
  '</loc>',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '?>',
  '\0',
  '<!DOCTYPE x [',
  'xmlns="',
  '</urlset>',
  '\xff',
];

/** A document with some damage: bytes lost, doubled, moved or put in. For promises about what is not well-formed. */
export function damage(text: string, seed: number): Buffer {
  const random = seeded(seed ^ 0x5bd1e995);
  let bytes = Buffer.from(text);
  for (let n = 1 + Math.floor(random() * 4); n > 0; n -= 1) {
    const at = Math.floor(random() * bytes.length);
    const to = Math.min(bytes.length, at + Math.floor(random() * random() * 80));
    const what = random();
    if (what < 0.3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    else if (what < 0.4) bytes = bytes.subarray(0, at);
    else if (what < 0.5) bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
    else {
      const put = Buffer.from(DAMAGE[Math.floor(random() * DAMAGE.length)]!, 'latin1');
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at)]);
    }
  }
  return bytes;
}
