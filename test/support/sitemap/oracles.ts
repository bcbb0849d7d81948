import { XMLParser } from 'fast-xml-parser';
import { SaxesParser } from 'saxes';

const SITEMAP = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** A record as a strict parser has it. */
export interface OracleRecord {
  readonly loc: string;
  readonly lastmod: string | null;
}

const record = (loc: string | null, lastmod: string | null): OracleRecord[] =>
  loc === null ? [] : [{ loc: loc.trim(), lastmod: lastmod === null || lastmod.trim() === '' ? null : lastmod.trim() }];

/** The records of a well-formed sitemap by saxes: strict, with namespaces. Throws on anything else. */
export function readWithSaxes(text: string): OracleRecord[] {
  const records: OracleRecord[] = [];
  const path: string[] = [];
  let loc: string | null = null;
  let lastmod: string | null = null;
  let texts: string | null = null;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ uri, local }) => {
    path.push(uri === SITEMAP ? local : `{${uri}}${local}`);
    if (path.length === 2) {
      loc = null;
      lastmod = null;
    }
    if (path.length === 3 && (path[2] === 'loc' || path[2] === 'lastmod')) texts = '';
  });
  const take = (piece: string) => {
    if (texts !== null) texts += piece;
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    const name = path.join('/');
    if (path.length === 3 && texts !== null) {
      if (name.endsWith('/loc')) loc ??= texts;
      else lastmod ??= texts;
      texts = null;
    }
    if (/^(urlset\/url|sitemapindex\/sitemap)$/.test(name)) records.push(...record(loc, lastmod));
    path.pop();
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  return records;
}

type Node = Readonly<Record<string, unknown>>;

/** The records of a well-formed sitemap by fast-xml-parser, distinguished by prefix: it knows no namespaces. */
export function readWithFastXmlParser(text: string): OracleRecord[] {
  const parser = new XMLParser({
    preserveOrder: true,
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    cdataPropName: '#cdata',
    commentPropName: '#comment',
  });
  const name = (node: Node) => Object.keys(node).find((key) => key !== ':@') ?? '';
  const inner = (node: Node): Node[] => (Array.isArray(node[name(node)]) ? (node[name(node)] as Node[]) : []);
  const getText = (node: Node): string =>
    inner(node)
      .map((child) => {
        if (typeof child['#text'] === 'string') return child['#text'];
        return name(child) === '#cdata'
          ? inner(child)
              .map((piece) => String(piece['#text'] ?? ''))
              .join('')
          : '';
      })
      .join('');
  const root = (parser.parse(text) as Node[]).find((node) => /^([\w-]+:)?(urlset|sitemapindex)$/.test(name(node)));
  if (root === undefined) throw new Error('no root');
  const prefix = name(root).replace(/(urlset|sitemapindex)$/, '');
  const kind = name(root).endsWith('urlset') ? 'url' : 'sitemap';
  return inner(root).flatMap((node) => {
    if (name(node) !== prefix + kind) return [];
    const of = (field: string) => inner(node).find((child) => name(child) === prefix + field);
    const [loc, lastmod] = [of('loc'), of('lastmod')];
    return record(loc === undefined ? null : getText(loc), lastmod === undefined ? null : getText(lastmod));
  });
}
