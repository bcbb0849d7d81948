import { createRequire } from 'node:module';
import type { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { MarkupHandler } from './feed-scanner.ts';

/** A node of fast-xml-parser with `preserveOrder`: its name as key, its children as value, attributes under `:@`. */
type Node = Readonly<Record<string, unknown>>;

interface Library {
  readonly validator: typeof XMLValidator;
  readonly parser: XMLParser;
}

let library: Library | undefined;

/** Loaded for the first feed: most crawls read none, and loading it takes as long as a small crawl. */
function getLibrary(): Library {
  if (library !== undefined) return library;
  const loaded = createRequire(import.meta.url)('fast-xml-parser') as typeof import('fast-xml-parser');
  const parser = new loaded.XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    allowBooleanAttributes: true,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    cdataPropName: '#cdata',
  });
  library = { validator: loaded.XMLValidator, parser };
  return library;
}

/**
 * Reads a well-formed feed with fast-xml-parser and hands its markup to the handler. Returns false, with nothing handed
 * over, for a feed that is damaged, or that the library refuses (an element called `__proto__`): those are for
 * `scanMarkup`, which reads around the damage. A document type is for it, too: it decides on declared entities.
 */
export function parseWellFormed(text: string, handler: MarkupHandler): boolean {
  if (/<!doctype/i.test(text)) return false;
  const nodes = tryParse(text);
  if (nodes === null) return false;
  for (const node of nodes) hand(node, handler);
  return true;
}

function tryParse(text: string): readonly Node[] | null {
  const { validator, parser } = getLibrary();
  try {
    const isWellFormed = validator.validate(text, { allowBooleanAttributes: true }) === true;
    return isWellFormed ? (parser.parse(text) as Node[]) : null;
  } catch {
    // The library throws for names and depths that it does not accept; the feed may be read all the same.
    return null;
  }
}

function hand(node: Node, handler: MarkupHandler): void {
  const name = Object.keys(node).find((key) => key !== ':@') ?? '';
  const content = node[name];
  if (name.startsWith('?')) return;
  if (name === '#text') handler.text(String(content), false, 0);
  else if (name === '#cdata') handler.text(joinText(content), true, 0);
  else {
    handler.open(name, writeAttributes(node[':@']), false, 0);
    for (const child of content as Node[]) hand(child, handler);
    handler.close(name, 0);
  }
}

const joinText = (content: unknown): string => (content as Node[]).map((each) => String(each['#text'])).join('');

/** As they would stand in a tag: the handler decodes entities itself. */
function writeAttributes(attributes: unknown): string {
  return Object.entries((attributes ?? {}) as Readonly<Record<string, unknown>>)
    .map(([name, value]) => {
      const text = value === true ? name : String(value);
      const quote = text.includes('"') ? "'" : '"';
      return ` ${name}=${quote}${text}${quote}`;
    })
    .join('');
}
