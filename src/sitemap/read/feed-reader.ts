import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { SitemapError } from '../problems.ts';
import { decodeEntities } from './entities.ts';
import type { DocumentReader, Sink } from './reader.ts';

/** Feeds hold the newest pages only; one larger than this is something else. */
const LIMIT = 16 * 1024 * 1024;

/** A node of fast-xml-parser with `preserveOrder`: its name as key, its children as value, attributes under `:@`. */
type Node = Readonly<Record<string, unknown>>;

/**
 * RSS 2.0, RSS 1.0 and Atom. They are small, so the whole document goes through fast-xml-parser; a page is what an item
 * links to, its date is the item's own.
 */
export class FeedReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #blocks: Buffer[] = [];
  #bytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(block: Buffer): void {
    this.#bytes += block.length;
    if (this.#bytes > LIMIT) throw new SitemapError('TOO_LARGE', `a feed larger than ${LIMIT} bytes is not read`);
    this.#blocks.push(Buffer.from(block));
  }

  end(cut: boolean): void {
    if (cut) return;
    const text = Buffer.concat(this.#blocks)
      .toString('utf8')
      .replace(/^\uFEFF?\s+/, '');
    refuseEntities(text);
    const valid = XMLValidator.validate(text, { allowBooleanAttributes: true });
    if (valid !== true) {
      const { line, col, msg } = valid.err;
      this.#sink.problem(
        'XML_MALFORMED',
        'error',
        `the feed is not well-formed at line ${line}, column ${col}: ${msg}`,
      );
    }
    for (const root of parse(text)) this.#root(root);
  }

  #root(root: Node): void {
    const name = getName(root);
    const base = attribute(root, 'xml:base');
    if (local(name) === 'feed') {
      for (const entry of children(root, 'entry')) this.#atomEntry(entry, base);
    } else if (local(name) === 'rss') {
      for (const channel of children(root, 'channel'))
        for (const item of children(channel, 'item')) this.#rssItem(item);
    } else if (local(name) === 'rdf') {
      for (const item of children(root, 'item')) this.#rssItem(item);
    }
  }

  #rssItem(item: Node): void {
    const link = getText(children(item, 'link').find((node) => isPlain(node) && getText(node) !== ''));
    const guid = children(item, 'guid').find((node) => attribute(node, 'isPermaLink')?.toLowerCase() !== 'false');
    const loc = link === '' ? asUrl(getText(guid)) || (attribute(item, 'rdf:about') ?? '') : link;
    const date = getText(children(item, 'pubDate')[0]) || getText(children(item, 'date')[0]);
    this.#page(loc, date);
  }

  #atomEntry(entry: Node, feedBase: string | undefined): void {
    const links = children(entry, 'link').filter((link) => (attribute(link, 'rel') ?? 'alternate') === 'alternate');
    const link = links.find((node) => attribute(node, 'href') !== undefined);
    const base = [feedBase, attribute(entry, 'xml:base'), link && attribute(link, 'xml:base')]
      .filter((part) => part !== undefined)
      .reduce<string | undefined>((outer, inner) => resolved(inner, outer), undefined);
    const href = link === undefined ? '' : attribute(link, 'href')!;
    const date = getText(children(entry, 'updated')[0]) || getText(children(entry, 'published')[0]);
    this.#page(base === undefined ? href : resolved(href, base), date);
  }

  #page(loc: string, date: string): void {
    if (loc.trim() === '') this.#sink.problem('BAD_URL', 'warning', 'an item without a link');
    else this.#sink.page(loc.trim(), date.trim() === '' ? null : date.trim());
  }
}

function parse(text: string): Node[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    cdataPropName: '#cdata',
  });
  try {
    return parser.parse(text) as Node[];
  } catch (cause) {
    throw new SitemapError('XML_MALFORMED', `the feed cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function refuseEntities(text: string): void {
  const doctype = text.slice(0, 64 * 1024).search(/<!DOCTYPE[^>]*\[/i);
  if (doctype !== -1 && /<!ENTITY/i.test(text)) {
    throw new SitemapError('DOCTYPE_FORBIDDEN', 'the document declares entities of its own; nothing of it was read');
  }
}

const getName = (node: Node) => Object.keys(node).find((key) => key !== ':@') ?? '';
const local = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();

/** Elements of extensions that share a name with one of RSS: `<media:link>`, `<atom:link>`. */
const isPlain = (node: Node) => !getName(node).includes(':') || getName(node).startsWith('rss:');

function nodes(node: Node | undefined): Node[] {
  const value = node === undefined ? undefined : node[getName(node)];
  return Array.isArray(value) ? (value as Node[]) : [];
}

const children = (node: Node, name: string) =>
  nodes(node).filter((child) => local(getName(child)) === name.toLowerCase());

/** Text and CDATA of an element, entities decoded. */
function getText(node: Node | undefined): string {
  return nodes(node)
    .map((child) => {
      if (typeof child['#text'] === 'string') return decodeEntities(child['#text'], () => {});
      const [cdata] = Array.isArray(child['#cdata']) ? (child['#cdata'] as Node[]) : [];
      return typeof cdata?.['#text'] === 'string' ? cdata['#text'] : '';
    })
    .join('')
    .trim();
}

function attribute(node: Node, name: string): string | undefined {
  const attributes = node[':@'] as Readonly<Record<string, unknown>> | undefined;
  const value = attributes !== undefined && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return typeof value === 'string' ? decodeEntities(value, () => {}).trim() : undefined;
}

const asUrl = (text: string) => (/^https?:\/\//i.test(text) ? text : '');
const resolved = (text: string, base: string | undefined) =>
  base !== undefined && URL.canParse(text, base) ? new URL(text, base).href : text;
