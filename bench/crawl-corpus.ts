// node bench/crawl-corpus.ts FOLDER PYTHON: reads every file of a folder as our reader, as fast-xml-parser and as lxml (a Python
// that has it) read it, and prints the files whose pages differ, as NDJSON, then the counts.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { normalizeUrl } from '../src/url/normalize-url.ts';
import { readBytes } from '../test/support/sitemap/collect.ts';

type Tree = readonly [
  name: string,
  attributes: Readonly<Record<string, string>>,
  text: string,
  children: readonly Tree[],
];

const local = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
const prefix = (name: string): string => name.slice(0, name.indexOf(':') + 1);
const BASE = 'https://base.example/feed';

function* walk(tree: Tree): Generator<Tree> {
  yield tree;
  for (const child of tree[3]) yield* walk(child);
}

/** The pages or sitemaps that a document names, by the rules of docs/explanation/sitemaps.md. */
function listLocs(root: Tree): string[] {
  const own = (record: Tree, name: string) =>
    record[3].filter((child) => local(child[0]) === name && prefix(child[0]) === prefix(record[0]));
  const text = (record: Tree, name: string) =>
    own(record, name)
      .find(([, , value]) => value.trim() !== '')?.[2]
      .trim();
  const kind = local(root[0]);
  if (kind === 'urlset' || kind === 'sitemapindex') {
    const records = root[3].filter(([name]) => local(name) === (kind === 'urlset' ? 'url' : 'sitemap'));
    return records.flatMap((record) => own(record, 'loc')[0]?.[2].trim() ?? []);
  }
  const items = [...walk(root)].filter(([name]) => local(name) === (kind === 'feed' ? 'entry' : 'item'));
  if (kind === 'feed') {
    return items.flatMap((entry) => {
      const links = own(entry, 'link').filter(([, { href, rel }]) => href && (rel ?? 'alternate') === 'alternate');
      const link = links.find(([, { type }]) => type === undefined || /html/i.test(type)) ?? links[0];
      return link?.[1].href?.trim() ?? [];
    });
  }
  return items.flatMap((item) => {
    const guid =
      own(item, 'guid')
        .find(([, { isPermaLink }]) => isPermaLink !== 'false')?.[2]
        .trim() ?? '';
    return text(item, 'link') ?? (/^https?:/i.test(guid) ? guid : (item[1].about ?? []));
  });
}

type Node = Readonly<Record<string, unknown>>;

function parseFast(text: string): Tree | null {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    htmlEntities: true,
  });
  const toTree = (node: Node): Tree[] => {
    const name = Object.keys(node).find((key) => key !== ':@');
    const inner = name === undefined ? undefined : node[name];
    if (name === undefined || name.startsWith('?') || !Array.isArray(inner)) return [];
    const attributes = Object.entries((node[':@'] ?? {}) as Record<string, string>);
    const texts = inner.map((child: Node) => String(child['#text'] ?? '')).join('');
    return [
      [
        name,
        Object.fromEntries(attributes.map(([key, value]) => [key.slice(key.indexOf(':') + 1), value])),
        texts,
        inner.flatMap(toTree),
      ],
    ];
  };
  try {
    return (parser.parse(text) as Node[]).flatMap(toTree)[0] ?? null;
  } catch {
    return null;
  }
}

/** Only what can be a page: how a loc that cannot is reported, no parser says. */
const toPages = (locs: readonly string[]): string[] =>
  locs.flatMap((loc) => {
    const normal = normalizeUrl(loc, BASE);
    return normal.ok ? [normal.url] : [];
  });

const [folder = '.', python = 'python3'] = process.argv.slice(2);
const files = readdirSync(folder).toSorted();
const counts = {
  files: 0,
  'with pages': 0,
  pages: 0,
  'not read': 0,
  same: 0,
  'one differs': 0,
  'both differ': 0,
  'parsers fail': 0,
};
for (let at = 0; at < files.length; at += 200) {
  const part = files.slice(at, at + 200);
  const script = new URL('crawl/peers/lxml_trees.py', import.meta.url).pathname;
  const lines = execFileSync(python, [script, ...part.map((file) => join(folder, file))], { maxBuffer: 2 ** 30 });
  const trees = lines
    .toString('utf8')
    .split('\n')
    .map((line) => (line === '' ? null : (JSON.parse(line) as Tree | null)));
  for (const [n, file] of part.entries()) {
    const bytes = readFileSync(join(folder, file));
    const { entries, children, codes, problems } = await readBytes(bytes, { base: BASE, path: file });
    const ours = [...entries.flatMap(({ url }) => url ?? []), ...children].toSorted();
    const others = [parseFast(bytes.toString('utf8')), trees[n] ?? null].map((tree) =>
      tree === null ? null : toPages(listLocs(tree)).toSorted(),
    );
    counts.files += 1;
    counts.pages += ours.length;
    if (ours.length > 0) counts['with pages'] += 1;
    if (codes.some((code) => /^error (NOT_SITEMAP|DOCTYPE)/.test(code))) counts['not read'] += 1;
    const wrong = others.filter((pages) => pages !== null && pages.join('\n') !== ours.join('\n'));
    if (wrong.length === 0) {
      counts[others.every((pages) => pages === null) ? 'parsers fail' : 'same'] += 1;
      continue;
    }
    counts[wrong.length === 2 ? 'both differ' : 'one differs'] += 1;
    const [fast, lxml] = others;
    console.log(
      JSON.stringify({ file, ours, fast, lxml, problems: problems.map(({ code, message }) => `${code} ${message}`) }),
    );
  }
}
console.log(JSON.stringify(counts));
