import { SitemapError } from '../problems.ts';
import { FeedItem, getLocalName, readAttributes, withBase } from './feed-item.ts';
import { parseWellFormed } from './feed-parser.ts';
import { type MarkupHandler, scanMarkup } from './feed-scanner.ts';
import type { DocumentReader, Sink } from './reader.ts';

/** Feeds hold only the newest pages; a larger document is not one. */
const LIMIT = 16 * 1024 * 1024;

/**
 * RSS 2.0, RSS 1.0 and Atom. Feeds are small, so the document is read as a whole: by fast-xml-parser where it is
 * well-formed, by a scanner of our own where it is damaged. A page is what an item links to; its date is the item's own.
 * Damage costs the item that it is in, and markup that is not escaped in a description costs nothing: inside of an item,
 * only the end tag of the open child counts.
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
    if (this.#bytes > LIMIT) throw new SitemapError('TOO_LARGE', `the feed is larger than ${LIMIT} bytes`);
    this.#blocks.push(Buffer.from(block));
  }

  end(cut: boolean): void {
    const text = Buffer.concat(this.#blocks)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    const items = new ItemHandler(this.#sink);
    const isWhole = (!cut && parseWellFormed(text, items)) || scanMarkup(text, items);
    if (!cut) items.end(isWhole, this.#bytes);
  }
}

/** Finds the items of a feed in its markup and hands their pages to the sink. */
class ItemHandler implements MarkupHandler {
  readonly #sink: Sink;
  #root: { readonly name: string; readonly isAtom: boolean; isClosed: boolean } | undefined;
  /** The values of xml:base of the root and of the channel. */
  #rootBases: readonly string[] = [];
  #channelBases: readonly string[] = [];
  #item: FeedItem | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  open(name: string, attributes: string, isSelfClosing: boolean, at: number): void {
    if (this.#root === undefined) {
      const local = getLocalName(name);
      if (!/^(rss|rdf|feed)$/.test(local)) return;
      this.#root = { name, isAtom: local === 'feed', isClosed: isSelfClosing };
      this.#rootBases = withBase([], readAttributes(attributes));
      this.#channelBases = this.#rootBases;
      return;
    }
    if (this.#root.isClosed) {
      this.#sink.problem('XML_MALFORMED', 'warning', `<${name.slice(0, 60)}> after the feed`, at);
      return;
    }
    if (this.#item !== undefined) {
      if (name !== this.#item.name) {
        this.#item.open(name, attributes, isSelfClosing);
        return;
      }
      this.#malformed('an item that is never closed', at);
      this.#endItem();
    }
    if (this.#isItem(name)) {
      this.#item = new FeedItem(name, attributes, this.#channelBases);
      if (isSelfClosing) this.#endItem();
    } else if (getLocalName(name) === 'channel') {
      this.#channelBases = withBase(this.#rootBases, readAttributes(attributes));
    }
  }

  close(name: string, at: number): void {
    const root = this.#root;
    if (this.#item !== undefined) {
      if (name === this.#item.name) {
        if (this.#item.isInField) this.#malformed('an element of an item that is never closed', at);
        this.#endItem();
      } else if (root !== undefined && (name === root.name || getLocalName(name) === 'channel')) {
        this.#malformed('an item that is never closed', at);
        this.#endItem();
      } else if (!this.#item.close(name)) this.#malformed('an end tag that does not fit', at);
    } else if (this.#isItem(name)) this.#malformed('the end of an item that never began', at);
    if (root !== undefined && name === root.name) root.isClosed = true;
  }

  text(text: string, isCdata: boolean, at: number): void {
    if (this.#item !== undefined) {
      this.#item.text(text, isCdata, (entity) =>
        this.#sink.problem('XML_MALFORMED', 'warning', `"${entity}" is not an entity`, at),
      );
    } else if ((this.#root === undefined || this.#root.isClosed) && /[^\s\0]/.test(text)) {
      this.#sink.problem('XML_MALFORMED', 'warning', 'text outside of the root element', at);
    }
  }

  damage(what: string, at: number): void {
    this.#malformed(what, at);
  }

  end(isWhole: boolean, bytes: number): void {
    if (this.#root?.isClosed === true && this.#item === undefined && isWhole) return;
    this.#sink.problem('XML_TRUNCATED', 'error', 'the feed ends before its root element is closed', bytes);
  }

  #endItem(): void {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined) return;
    const isAtom = this.#root?.isAtom === true;
    const { loc, bases, date } = isAtom ? item.getAtomPage() : item.getRssPage();
    if (loc === '') {
      this.#sink.unusable();
      this.#sink.problem('BAD_URL', 'warning', 'an item without a link');
    } else if (isAtom || bases.length > 0) this.#sink.page(loc, date, { bases });
    else this.#sink.page(loc, date);
  }

  #isItem(name: string): boolean {
    return getLocalName(name) === (this.#root?.isAtom === true ? 'entry' : 'item');
  }

  #malformed(what: string, at: number): void {
    this.#sink.problem('XML_MALFORMED', 'error', what, at);
  }
}
