import { CHAR } from '../../url/characters.ts';
import { SitemapError } from '../problems.ts';
import { Block } from './block.ts';
import { BlockFeeder } from './block-feeder.ts';
import { refuseDoctype } from './doctype.ts';
import { decodeEntities } from './entities.ts';
import { INCOMPLETE, isNameStart, parseAttributes, tagEnd } from './markup.ts';
import { Namespaces, SITEMAP_NAMESPACE } from './namespaces.ts';
import type { DocumentReader, Sink } from './reader.ts';
import { OpenRecord } from './record.ts';
import { findMarkup, RecordLayouts } from './record-layout.ts';

/** No sitemap is deeper than six levels. A document of ten thousand is an attack on recursive parsers. */
const MAX_DEPTH = 256;
/** Records inside records. XmlSitemapGenerator writes a few. */
const MAX_NESTED = 100;
/** 1,000 images with long captions fit. */
const RECORD_LIMIT = 2 * 1024 * 1024;

/**
 * Reads urlset and sitemapindex in one pass over the bytes (docs/explanation/sitemaps.md, "How it reads"). It moves from
 * `<` to `<` in the Latin-1 view of a block, where an index in the string is an index in the bytes, and decodes only the texts of
 * `loc` and `lastmod`. Elements are compared by a hash of their name, so a tag allocates nothing.
 *
 * Damage costs the record that it is in: the reader reports it and continues at the next tag that fits.
 */
export class RecordReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #record: OpenRecord;
  readonly #withAlternates: boolean;
  readonly #feeder = new BlockFeeder((block) => this.#scan(block));
  readonly #namespaces = new Namespaces();
  readonly #layouts = new RecordLayouts();
  /** Hashes of the names of the open elements, from 1. */
  readonly #open = new Int32Array(MAX_DEPTH + 2);
  #depth = 0;
  #roots = 0;
  /** Records that ended where another one began inside them, and whose end tag has not come. */
  readonly #nested: { readonly hash: number; readonly at: number }[] = [];
  /** The document has records but no root element. */
  #hasVirtualRoot = false;
  /** The end of the comment, section or instruction that is being skipped; '' for none. */
  #skipUntil = '';

  #block = new Block(Buffer.alloc(0));

  constructor(sink: Sink, options: { readonly alternates: boolean }) {
    this.#sink = sink;
    this.#record = new OpenRecord(sink);
    this.#withAlternates = options.alternates;
  }

  write(block: Buffer): void {
    this.#feeder.write(block);
    if (this.#record.kind !== 'none' && this.#feeder.base - this.#record.at > RECORD_LIMIT) {
      throw new SitemapError(
        'RECORD_TOO_LARGE',
        `the record at byte ${this.#record.at} is larger than ${RECORD_LIMIT} bytes`,
      );
    }
  }

  end(cut: boolean): void {
    const rest = this.#feeder.end();
    for (const { at } of this.#nested)
      this.#sink.problem('XML_MALFORMED', 'error', 'a record that is never closed', at);
    if (cut) return;
    if (this.#roots === 0) throw new SitemapError('NOT_SITEMAP', 'it has no element of a sitemap');
    const openDepth = this.#hasVirtualRoot && this.#depth === 1 ? 0 : this.#depth;
    if (openDepth > 0 || this.#skipUntil !== '' || /\S/.test(rest.toString('latin1'))) {
      const at = this.#feeder.base + rest.length;
      this.#sink.problem('XML_TRUNCATED', 'error', 'the document ends before its root element is closed', at);
    }
  }

  /** Reads the markup that is whole in a block. Returns its length. */
  #scan(bytes: Buffer): number {
    this.#block = new Block(bytes);
    this.#layouts.abandon();
    let at = 0;
    if (this.#skipUntil !== '') {
      const end = this.#text.indexOf(this.#skipUntil);
      if (end === -1) return Math.max(0, bytes.length - 2);
      at = end + this.#skipUntil.length;
      this.#skipUntil = '';
    }
    for (;;) {
      const lt = findMarkup(bytes, at);
      if (lt === bytes.length) {
        // A captured text is decoded as a whole: the block may end inside an entity or a character.
        if (this.#record.field !== 'none') return at;
        if (this.#depth === 0) this.#looseText(at, lt);
        return lt;
      }
      if (lt > at) {
        if (this.#record.field !== 'none') {
          this.#layouts.field(this.#record.field, at, lt);
          this.#take(at, lt, true);
        } else if (this.#depth === 0) this.#looseText(at, lt);
      }
      if (this.#depth === 1 && this.#layouts.match(bytes, lt)) {
        this.#recordAsBefore(lt);
        at = this.#layouts.end;
        continue;
      }
      at = this.#markup(lt);
      if (at < 0) return lt;
      if (this.#skipUntil !== '') return at;
    }
  }

  get #text(): string {
    return this.#block.text;
  }

  /** Reads the record at `lt`, whose layout is that of one before it. */
  #recordAsBefore(lt: number): void {
    const { locFrom, locTo, lastmodFrom, lastmodTo, kind, name } = this.#layouts;
    const record = this.#record;
    if (kind === 'url' && this.#sink.rawPage?.(this.#block, this.#layouts) === true) {
      record.countUsable();
      return;
    }
    record.begin(kind, name, this.#feeder.base + lt);
    record.beginField('loc');
    if (locFrom < locTo) this.#take(locFrom, locTo, true);
    record.endField();
    if (lastmodFrom !== -1) {
      record.beginField('lastmod');
      if (lastmodFrom < lastmodTo) this.#take(lastmodFrom, lastmodTo, true);
      record.endField();
    }
    record.end();
  }

  /** Reads the markup that begins at `lt`. Returns the index after it, or INCOMPLETE. */
  #markup(lt: number): number {
    const code = this.#text.charCodeAt(lt + 1);
    if (code === CHAR.slash) return this.#endTag(lt);
    if (isNameStart(code)) return this.#startTag(lt);
    if (code === CHAR.bang) return this.#declaration(lt);
    if (code === CHAR.question) return this.#instruction(lt);
    if (lt + 1 >= this.#text.length) return INCOMPLETE;
    this.#malformed('a "<" that begins no tag', lt);
    if (this.#record.field !== 'none') this.#record.mixed = true;
    return lt + 1;
  }

  #startTag(lt: number): number {
    const text = this.#text;
    const length = text.length;
    let hash = 0;
    let colon = 0;
    let at = lt + 1;
    let code = 0;
    for (; at < length; at += 1) {
      code = text.charCodeAt(at);
      if (code === CHAR.gt || code === CHAR.slash || code <= CHAR.space || code === CHAR.lt) break;
      if (code === CHAR.colon && colon === 0) colon = at;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    if (at === length) return INCOMPLETE;
    const end = code === CHAR.gt ? at + 1 : tagEnd(text, at);
    if (end === INCOMPLETE) return INCOMPLETE;
    if (end < 0) {
      this.#malformed('a tag that never ends', lt);
      this.#record.damaged = true;
      return -2 - end;
    }
    this.#element(lt, colon, at, end, hash);
    return end;
  }

  /** A start tag: name from `lt + 1` to `nameEnd`, with its colon if it has one; the whole of it ends at `end`. */
  #element(lt: number, colon: number, nameEnd: number, end: number, hash: number): void {
    const text = this.#text;
    const selfClosing = text.charCodeAt(end - 2) === CHAR.slash;
    if (this.#record.kind !== 'none' && hash === this.#record.name) this.#endOuterRecord(lt);
    const depth = this.#depth + 1;
    if (end - nameEnd > 8) {
      const attributes = text.slice(nameEnd, end);
      if (attributes.includes('xmlns')) {
        this.#namespaces.declare(depth, attributes);
        this.#layouts.abandon();
      }
    }
    if (colon !== 0 && !this.#namespaces.isDeclared(text.slice(lt + 1, colon))) this.#undeclared(lt, colon);
    if (this.#record.field !== 'none') {
      this.#record.mixed = true;
      this.#layouts.abandon();
    } else if (depth === 3) this.#field(lt, colon, nameEnd, end, selfClosing);
    else if (depth === 2) this.#child(lt, colon, nameEnd, hash);
    else if (depth === 1 && this.#root(lt, colon, nameEnd)) {
      this.#element(lt, colon, nameEnd, end, hash);
      return;
    }
    this.#push(hash);
    if (selfClosing) this.#pop();
  }

  /** Reads the root. Returns true for a record without a root, after opening a virtual root around it. */
  #root(lt: number, colon: number, nameEnd: number): boolean {
    this.#layouts.forget();
    const name = this.#localName(lt, colon, nameEnd);
    if (name === 'urlset' || name === 'sitemapindex') {
      const namespace = this.#namespaces.setRoot(colon === 0 ? '' : this.#text.slice(lt + 1, colon));
      if (namespace !== SITEMAP_NAMESPACE) {
        const what =
          namespace === '' ? 'the root has no namespace' : `the namespace of the root is ${namespace.slice(0, 200)}`;
        this.#sink.problem('NAMESPACE', 'warning', `${what}, not ${SITEMAP_NAMESPACE}`, this.#feeder.base + lt);
      }
      if (this.#roots > 0) this.#slip('a second document in the same file', lt);
    } else if (name === 'url' || name === 'sitemap') {
      this.#malformed(`<${name}> outside of a root element`, lt);
      this.#hasVirtualRoot = true;
      this.#roots += 1;
      this.#push(0);
      return true;
    } else if (this.#roots === 0) {
      throw new SitemapError('NOT_SITEMAP', `the root element is <${name.slice(0, 60)}>`);
    } else {
      this.#slip(`<${name.slice(0, 60)}> after the document`, lt);
    }
    this.#roots += 1;
    return false;
  }

  #child(lt: number, colon: number, nameEnd: number, hash: number): void {
    const name = this.#localName(lt, colon, nameEnd);
    if ((name !== 'url' && name !== 'sitemap') || !this.#belongs(lt, colon)) {
      this.#record.countUnusable();
      return;
    }
    this.#record.begin(name, hash, this.#feeder.base + lt);
    if (!this.#withAlternates) this.#layouts.begin(lt);
  }

  #field(lt: number, colon: number, nameEnd: number, end: number, selfClosing: boolean): void {
    const record = this.#record;
    if (record.kind === 'none') return;
    const text = this.#text;
    const from = colon === 0 ? lt + 1 : colon + 1;
    const length = nameEnd - from;
    if (length === 3 && isNamed('loc', text, from, nameEnd)) {
      if (!this.#belongs(lt, colon)) return;
      // The first loc of a record is the record, also when it is empty.
      if (record.loc !== null) this.#slip('a second <loc> in one record', lt);
      else if (selfClosing) record.loc = '';
      else record.beginField('loc');
    } else if (length === 7 && isNamed('lastmod', text, from, nameEnd)) {
      if (record.lastmod === null && !selfClosing && this.#belongs(lt, colon)) record.beginField('lastmod');
    } else if (this.#withAlternates && length === 4 && text.startsWith('link', from)) {
      this.#alternate(nameEnd, end);
    }
  }

  /** `<xhtml:link rel="alternate" hreflang="…" href="…"/>` in a record. */
  #alternate(from: number, to: number): void {
    const attributes = parseAttributes(this.#decoded(from, to));
    const href = attributes.get('href');
    const rel = attributes.get('rel')?.toLowerCase();
    if (href === undefined || !attributes.has('hreflang') || (rel !== undefined && rel !== 'alternate')) return;
    this.#record.alternates.push(decodeEntities(href, () => {}).trim());
  }

  #endTag(lt: number): number {
    const text = this.#text;
    const length = text.length;
    let hash = 0;
    let at = lt + 2;
    let code = 0;
    for (; at < length; at += 1) {
      code = text.charCodeAt(at);
      if (code === CHAR.gt || code <= CHAR.space || code === CHAR.lt) break;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    if (at === length) return INCOMPLETE;
    let end = at + 1;
    if (code !== CHAR.gt) {
      while (text.charCodeAt(at) <= CHAR.space) at += 1;
      if (at === length) return INCOMPLETE;
      end = at + 1;
      if (text.charCodeAt(at) !== CHAR.gt) {
        const broken = tagEnd(text, at);
        if (broken === INCOMPLETE) return INCOMPLETE;
        this.#malformed('an end tag that does not end', lt);
        end = broken < 0 ? -2 - broken : broken;
      }
    }
    if (this.#depth > 0 && this.#open[this.#depth] === hash) {
      const { kind, name } = this.#record;
      this.#pop();
      if (this.#depth === 1 && kind !== 'none') this.#layouts.learn(this.#block.bytes, end, kind, name);
    } else this.#strayEnd(hash, lt);
    return end;
  }

  #push(hash: number): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      throw new SitemapError(
        'XML_TOO_DEEP',
        `elements are nested deeper than ${MAX_DEPTH} at byte ${this.#feeder.base}`,
      );
    }
    this.#open[this.#depth] = hash;
  }

  #pop(): void {
    if (this.#record.field !== 'none' && this.#depth === 3) this.#record.endField();
    if (this.#namespaces.innermost === this.#depth) this.#namespaces.close(this.#depth);
    this.#depth -= 1;
    if (this.#depth === 1 && this.#record.kind !== 'none') this.#record.end();
  }

  /** An end tag that does not fit closes the element further out that it fits, or is ignored. */
  #strayEnd(hash: number, lt: number): void {
    this.#layouts.abandon();
    if (this.#depth === 1 && this.#nested.at(-1)?.hash === hash) {
      this.#nested.pop();
      this.#slip('a record inside a record', lt);
      return;
    }
    let depth = this.#depth;
    while (depth > 0 && this.#open[depth] !== hash) depth -= 1;
    if (depth === 0 && this.#depth === 0) this.#slip('an end tag outside of the document', lt);
    else this.#malformed('an end tag that does not fit', lt);
    if (depth > 0) this.#closeDownTo(depth);
  }

  /**
   * A record begins inside a record: the outer one ends here. Whether it was never closed or the two are nested shows
   * later, by an end tag for it.
   */
  #endOuterRecord(lt: number): void {
    this.#layouts.abandon();
    // Inside an open field of the record it is damage, and the list stays short for a file of unclosed records.
    if (this.#depth > 2 || this.#nested.length >= MAX_NESTED) this.#malformed('a record that is never closed', lt);
    else this.#nested.push({ hash: this.#record.name, at: this.#feeder.base + lt });
    this.#closeDownTo(2);
  }

  #closeDownTo(depth: number): void {
    if (this.#record.field !== 'none' && depth < 3) this.#record.abandonField();
    while (this.#depth >= depth) this.#pop();
  }

  #declaration(lt: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', lt)) return this.#skipTo('-->', lt + 4);
    if (text.startsWith('<![CDATA[', lt)) {
      if (this.#record.field === 'none') return this.#skipTo(']]>', lt + 9);
      const end = text.indexOf(']]>', lt + 9);
      if (end === -1) return INCOMPLETE;
      this.#layouts.abandon();
      this.#take(lt + 9, end, false);
      return end + 3;
    }
    if (text.length - lt < 9) return INCOMPLETE;
    if (text.slice(lt, lt + 9).toUpperCase() === '<!DOCTYPE') {
      if (this.#depth > 0) this.#malformed('a document type inside the document', lt);
      return refuseDoctype(text, lt);
    }
    this.#malformed('a declaration that is not allowed here', lt);
    return lt + 2;
  }

  #instruction(lt: number): number {
    if (this.#roots > 0 && /^<\?xml\s/i.test(this.#text.slice(lt, lt + 6))) this.#slip('a second XML declaration', lt);
    return this.#skipTo('?>', lt + 2);
  }

  /** Returns the index after `mark`. Without one, skips the rest of the block and continues in the next. */
  #skipTo(mark: string, from: number): number {
    const end = this.#text.indexOf(mark, from);
    if (end !== -1) return end + mark.length;
    this.#skipUntil = mark;
    return Math.max(from, this.#text.length - 2);
  }

  /** Adds text to the open field. Text of a CDATA section is not decoded. */
  #take(from: number, to: number, decode: boolean): void {
    const record = this.#record;
    const raw = this.#text.slice(from, to);
    if (decode && record.isBlank && PLAIN.test(raw)) {
      record.addPlain(raw);
      return;
    }
    const piece = this.#decoded(from, to);
    const isEscaped = decode && piece.includes('&');
    record.add(isEscaped ? decodeEntities(piece, (entity) => this.#slip(`"${entity}" is not an entity`, from)) : piece);
  }

  /** Decodes some bytes of the block. */
  #decoded(from: number, to: number): string {
    const piece = this.#text.slice(from, to);
    return this.#block.isAscii || !BEYOND_ASCII.test(piece) ? piece : this.#block.bytes.toString('utf8', from, to);
  }

  #looseText(from: number, to: number): void {
    if (/[^\s\0]/.test(this.#text.slice(from, to))) this.#slip('text outside of the root element', from);
  }

  #undeclared(lt: number, colon: number): void {
    this.#layouts.abandon();
    const prefix = this.#text.slice(lt + 1, colon).slice(0, 60);
    this.#sink.problem('NAMESPACE', 'warning', `the prefix "${prefix}" is not declared`, this.#feeder.base + lt);
  }

  #belongs(lt: number, colon: number): boolean {
    return colon === 0 ? this.#namespaces.plain : this.#namespaces.prefixed(this.#text.slice(lt + 1, colon));
  }

  #localName(lt: number, colon: number, nameEnd: number): string {
    const from = colon === 0 ? lt + 1 : colon + 1;
    if (nameEnd - from === 3 && this.#text.startsWith('url', from)) return 'url';
    return this.#text.slice(from, nameEnd).toLowerCase();
  }

  /** Reports damage: a record may be missing. */
  #malformed(what: string, at: number): void {
    this.#layouts.abandon();
    this.#sink.problem('XML_MALFORMED', 'error', what, this.#feeder.base + at);
  }

  /** Reports a mistake that costs no record. */
  #slip(what: string, at: number): void {
    this.#layouts.abandon();
    this.#sink.problem('XML_MALFORMED', 'warning', what, this.#feeder.base + at);
  }
}

/** Text that needs no decoding: no entity, no white space, ASCII only. Nearly every loc and lastmod. */
const PLAIN = /^[!-%'-~]+$/;
const BEYOND_ASCII = /[\x80-\xff]/;

/** Element names are compared in any case: a hand-written <Loc> is a loc. */
function isNamed(name: string, text: string, from: number, to: number): boolean {
  return (
    (text.charCodeAt(from) === name.charCodeAt(0) && text.startsWith(name, from)) ||
    text.slice(from, to).toLowerCase() === name
  );
}
