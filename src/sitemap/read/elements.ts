import { CHAR } from '../../url/characters.ts';
import { SitemapError } from '../problems.ts';
import type { Block } from './block.ts';
import type { Damage } from './damage.ts';
import { decodeEntities } from './entities.ts';
import { parseAttributes } from './markup.ts';
import { Namespaces, SITEMAP_NAMESPACE } from './namespaces.ts';
import type { Place } from './place.ts';
import type { Sink } from './reader.ts';
import type { OpenRecord } from './record.ts';
import type { RecordLayouts } from './record-layout.ts';

/** No sitemap is deeper than six levels. A document of ten thousand is an attack on recursive parsers. */
const MAX_DEPTH = 256;
/** Records inside records. XmlSitemapGenerator writes a few. */
const MAX_NESTED = 100;

export interface ElementsOptions {
  readonly sink: Sink;
  readonly place: Place;
  readonly damage: Damage;
  readonly record: OpenRecord;
  readonly layouts: RecordLayouts;
  /** Whether hreflang alternates are pages. */
  readonly alternates: boolean;
}

/**
 * The open elements of a urlset or sitemapindex: decides what each tag means. Elements are compared by a hash of their name,
 * so a tag allocates nothing. An end tag that fits no open element, or a record inside a record, costs that record only.
 */
export class Elements {
  readonly #sink: Sink;
  readonly #place: Place;
  readonly #damage: Damage;
  readonly #record: OpenRecord;
  readonly #layouts: RecordLayouts;
  readonly #withAlternates: boolean;
  readonly #namespaces = new Namespaces();
  /** Hashes of the names of the open elements, from 1. */
  readonly #open = new Int32Array(MAX_DEPTH + 2);
  /** Records that ended where another one began inside them, and whose end tag has not come. */
  readonly #nested: { readonly hash: number; readonly at: number }[] = [];
  /** The document has records but no root element. */
  #hasVirtualRoot = false;
  /** The block in which `xmlns` was searched, and where the next one is; -1 for none in the rest of it. */
  #searched: Block | undefined;
  #xmlnsAt = -1;
  depth = 0;
  roots = 0;

  constructor({ sink, place, damage, record, layouts, alternates }: ElementsOptions) {
    this.#sink = sink;
    this.#place = place;
    this.#damage = damage;
    this.#record = record;
    this.#layouts = layouts;
    this.#withAlternates = alternates;
  }

  /** Elements of the document that are not closed at its end. */
  get unclosed(): number {
    return this.#hasVirtualRoot && this.depth === 1 ? 0 : this.depth;
  }

  /** Call after the last byte: reports the records whose end tag never came. */
  finish(): void {
    for (const { at } of this.#nested)
      this.#sink.problem('XML_MALFORMED', 'error', 'a record that is never closed', at);
  }

  /** A start tag: name from `lt + 1` to `nameEnd`, with its colon if it has one; the whole of it ends at `end`. */
  start(lt: number, colon: number, nameEnd: number, end: number, hash: number): void {
    const text = this.#place.text;
    const selfClosing = text.charCodeAt(end - 2) === CHAR.slash;
    if (this.#record.kind !== 'none' && hash === this.#record.name) this.#endOuterRecord(lt);
    const depth = this.depth + 1;
    if (end - nameEnd > 8 && this.#declares(nameEnd, end)) {
      this.#namespaces.declare(depth, text.slice(nameEnd, end));
      this.#layouts.abandon();
    }
    if (colon !== 0 && !this.#namespaces.isDeclared(text, lt + 1, colon))
      this.#damage.undeclared(text.slice(lt + 1, colon), lt);
    if (this.#record.field !== 'none') {
      this.#record.mixed = true;
      this.#layouts.abandon();
    } else if (depth === 3) {
      this.#layouts.beginChild(lt);
      this.#field(lt, colon, nameEnd, end, selfClosing);
    } else if (depth === 2) this.#child(lt, colon, nameEnd, hash);
    else if (depth === 1 && this.#root(lt, colon, nameEnd)) {
      this.start(lt, colon, nameEnd, end, hash);
      return;
    }
    this.#push(hash);
    if (selfClosing) {
      this.#pop();
      if (depth === 3) this.#layouts.endChild(end);
    }
  }

  /** Whether a tag holds `xmlns`. Tags come in order, so each byte of a block is searched once. */
  #declares(from: number, to: number): boolean {
    const { block, text } = this.#place;
    if (this.#searched !== block || (this.#xmlnsAt !== -1 && this.#xmlnsAt < from)) {
      this.#searched = block;
      this.#xmlnsAt = text.indexOf('xmlns', from);
    }
    return this.#xmlnsAt !== -1 && this.#xmlnsAt < to;
  }

  /** An end tag at `lt`, whole, that ends at `end`. */
  end(lt: number, end: number, hash: number): void {
    if (this.depth > 0 && this.#open[this.depth] === hash) {
      const { kind, name } = this.#record;
      this.#pop();
      if (this.depth === 2) this.#layouts.endChild(end);
      else if (this.depth === 1 && kind !== 'none') this.#layouts.learn(this.#place.block, lt, end, kind, name);
    } else this.#strayEnd(hash, lt);
  }

  /** Reads the root. Returns true for a record without a root, after opening a virtual root around it. */
  #root(lt: number, colon: number, nameEnd: number): boolean {
    this.#layouts.forget();
    const name = this.#localName(lt, colon, nameEnd);
    if (name === 'urlset' || name === 'sitemapindex') {
      const namespace = this.#namespaces.setRoot(colon === 0 ? '' : this.#place.text.slice(lt + 1, colon));
      if (namespace !== SITEMAP_NAMESPACE) {
        const what =
          namespace === '' ? 'the root has no namespace' : `the namespace of the root is ${namespace.slice(0, 200)}`;
        this.#sink.problem('NAMESPACE', 'warning', `${what}, not ${SITEMAP_NAMESPACE}`, this.#place.base + lt);
      }
      if (this.roots > 0) this.#damage.slip('a second document in the same file', lt);
    } else if (name === 'url' || name === 'sitemap') {
      this.#damage.malformed(`<${name}> outside of a root element`, lt);
      this.#hasVirtualRoot = true;
      this.roots += 1;
      this.#push(0);
      return true;
    } else if (this.roots === 0) {
      throw new SitemapError('NOT_SITEMAP', `the root element is <${name.slice(0, 60)}>`);
    } else {
      this.#damage.slip(`<${name.slice(0, 60)}> after the document`, lt);
    }
    this.roots += 1;
    return false;
  }

  #child(lt: number, colon: number, nameEnd: number, hash: number): void {
    const name = this.#localName(lt, colon, nameEnd);
    if ((name !== 'url' && name !== 'sitemap') || !this.#belongs(lt, colon)) {
      this.#record.countUnusable();
      return;
    }
    this.#record.begin(name, hash, this.#place.base + lt);
    if (!this.#withAlternates) this.#layouts.begin(lt);
  }

  #field(lt: number, colon: number, nameEnd: number, end: number, selfClosing: boolean): void {
    const record = this.#record;
    if (record.kind === 'none') return;
    const text = this.#place.text;
    const from = colon === 0 ? lt + 1 : colon + 1;
    const length = nameEnd - from;
    if (length === 3 && isNamed('loc', text, from, nameEnd)) {
      if (!this.#belongs(lt, colon)) return;
      // The first loc of a record is the record, also when it is empty.
      if (record.loc !== null) this.#damage.slip('a second <loc> in one record', lt);
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
    const attributes = parseAttributes(this.#place.decode(from, to));
    const href = attributes.get('href');
    const rel = attributes.get('rel')?.toLowerCase();
    if (href === undefined || !attributes.has('hreflang') || (rel !== undefined && rel !== 'alternate')) return;
    this.#record.alternates.push(decodeEntities(href, () => {}).trim());
  }

  #push(hash: number): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      throw new SitemapError(
        'XML_TOO_DEEP',
        `elements are nested deeper than ${MAX_DEPTH} at byte ${this.#place.base}`,
      );
    }
    this.#open[this.depth] = hash;
  }

  #pop(): void {
    if (this.#record.field !== 'none' && this.depth === 3) this.#record.endField();
    if (this.#namespaces.innermost === this.depth) this.#namespaces.close(this.depth);
    this.depth -= 1;
    if (this.depth === 1 && this.#record.kind !== 'none') this.#record.end();
  }

  /** An end tag that does not fit closes the element further out that it fits, or is ignored. */
  #strayEnd(hash: number, lt: number): void {
    this.#layouts.abandon();
    if (this.depth === 1 && this.#nested.at(-1)?.hash === hash) {
      this.#nested.pop();
      this.#damage.slip('a record inside a record', lt);
      return;
    }
    let depth = this.depth;
    while (depth > 0 && this.#open[depth] !== hash) depth -= 1;
    if (depth === 0 && this.depth === 0) this.#damage.slip('an end tag outside of the document', lt);
    else this.#damage.malformed('an end tag that does not fit', lt);
    if (depth > 0) this.#closeDownTo(depth);
  }

  /**
   * A record begins inside a record: the outer one ends here. Whether it was never closed or the two are nested shows
   * later, by an end tag for it.
   */
  #endOuterRecord(lt: number): void {
    this.#layouts.abandon();
    // Inside an open field of the record it is damage, and the list stays short for a file of unclosed records.
    if (this.depth > 2 || this.#nested.length >= MAX_NESTED)
      this.#damage.malformed('a record that is never closed', lt);
    else this.#nested.push({ hash: this.#record.name, at: this.#place.base + lt });
    this.#closeDownTo(2);
  }

  #closeDownTo(depth: number): void {
    if (this.#record.field !== 'none' && depth < 3) this.#record.abandonField();
    while (this.depth >= depth) this.#pop();
  }

  #belongs(lt: number, colon: number): boolean {
    return colon === 0 ? this.#namespaces.plain : this.#namespaces.prefixed(this.#place.text.slice(lt + 1, colon));
  }

  #localName(lt: number, colon: number, nameEnd: number): string {
    const from = colon === 0 ? lt + 1 : colon + 1;
    if (nameEnd - from === 3 && this.#place.text.startsWith('url', from)) return 'url';
    return this.#place.text.slice(from, nameEnd).toLowerCase();
  }
}

/** Element names are compared in any case: a hand-written <Loc> is a loc. */
function isNamed(name: string, text: string, from: number, to: number): boolean {
  return (
    (text.charCodeAt(from) === name.charCodeAt(0) && text.startsWith(name, from)) ||
    text.slice(from, to).toLowerCase() === name
  );
}
