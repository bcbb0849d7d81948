import { CHAR } from '../../url/characters.ts';
import { SitemapError } from '../problems.ts';
import { Block } from './block.ts';
import { BlockFeeder } from './block-feeder.ts';
import { Damage } from './damage.ts';
import { refuseDoctype } from './doctype.ts';
import { Elements } from './elements.ts';
import { decodeEntities } from './entities.ts';
import { INCOMPLETE, isNameStart, tagEnd } from './markup.ts';
import { findMarkup } from './piece.ts';
import { Place } from './place.ts';
import type { DocumentReader, Sink } from './reader.ts';
import { OpenRecord } from './record.ts';
import { RecordLayouts } from './record-layout.ts';

/** 1,000 images with long captions fit. */
const RECORD_LIMIT = 2 * 1024 * 1024;
/** A record that begins in so many last bytes of a block may wait for the next one. Few are longer. */
const WAITING = 4 * 1024;

/**
 * Reads urlset and sitemapindex in one pass over the bytes (docs/explanation/sitemaps.md, "How it reads"). It moves from
 * `<` to `<` in the Latin-1 view of a block, where an index in the string is an index in the bytes, and decodes only the texts of
 * `loc` and `lastmod`. What the tags mean, `Elements` decides.
 *
 * Damage costs the record that it is in: the reader reports it and continues at the next tag that fits.
 */
export class RecordReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #record: OpenRecord;
  readonly #elements: Elements;
  readonly #damage: Damage;
  readonly #place = new Place();
  readonly #layouts = new RecordLayouts();
  readonly #feeder = new BlockFeeder((block) => this.#scan(block));
  #isLast = false;
  /** The end of the comment, section or instruction that is being skipped; '' for none. */
  #skipUntil = '';

  constructor(sink: Sink, options: { readonly alternates: boolean }) {
    const [place, layouts, record] = [this.#place, this.#layouts, new OpenRecord(sink)];
    this.#sink = sink;
    this.#record = record;
    this.#damage = new Damage(sink, place, layouts);
    this.#elements = new Elements({ sink, place, damage: this.#damage, record, layouts, ...options });
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
    this.#isLast = true;
    const rest = this.#feeder.end();
    this.#elements.finish();
    if (cut) return;
    if (this.#elements.roots === 0) throw new SitemapError('NOT_SITEMAP', 'it has no element of a sitemap');
    if (this.#elements.unclosed > 0 || this.#skipUntil !== '' || /\S/.test(rest.toString('latin1'))) {
      const at = this.#feeder.base + rest.length;
      this.#sink.problem('XML_TRUNCATED', 'error', 'the document ends before its root element is closed', at);
    }
  }

  /** Reads the markup that is whole in a block. Returns its length. */
  #scan(bytes: Buffer): number {
    const block = new Block(bytes);
    this.#place.block = block;
    this.#place.base = this.#feeder.base;
    this.#layouts.abandon();
    let at = 0;
    if (this.#skipUntil !== '') {
      const end = this.#place.text.indexOf(this.#skipUntil);
      if (end === -1) return Math.max(0, bytes.length - 2);
      at = end + this.#skipUntil.length;
      this.#skipUntil = '';
    }
    for (;;) {
      const lt = findMarkup(block, at);
      if (lt === bytes.length) {
        // A captured text is decoded as a whole: the block may end inside an entity or a character.
        if (this.#record.field !== 'none') return at;
        if (this.#elements.depth === 0) this.#looseText(at, lt);
        return lt;
      }
      if (lt > at) {
        if (this.#record.field !== 'none') {
          this.#layouts.field(this.#record.field, at, lt);
          this.#take(at, lt, true);
        } else if (this.#elements.depth === 0) this.#looseText(at, lt);
      }
      if (this.#elements.depth === 1 && !this.#layouts.isEmpty) {
        if (this.#layouts.match(block, lt)) {
          this.#recordAsBefore(lt);
          at = this.#layouts.end;
          continue;
        }
        // Whole, in the next block, it may fit a layout. The parts of it would be tokenized.
        if (bytes.length - lt < WAITING && !this.#isLast) return lt;
      }
      at = this.#markup(lt);
      if (at < 0) return lt;
      if (this.#skipUntil !== '') return at;
    }
  }

  /** Reads the record at `lt`, whose layout is that of one before it. */
  #recordAsBefore(lt: number): void {
    const { locFrom, locTo, lastmodFrom, lastmodTo, kind, name } = this.#layouts;
    const record = this.#record;
    if (kind === 'url' && this.#sink.rawPage?.(this.#place.block, this.#layouts) === true) {
      record.countUsable();
      return;
    }
    record.begin(kind, name, this.#place.base + lt);
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
    const code = this.#place.text.charCodeAt(lt + 1);
    if (code === CHAR.slash) return this.#endTag(lt);
    if (isNameStart(code)) return this.#startTag(lt);
    if (code === CHAR.bang) return this.#declaration(lt);
    if (code === CHAR.question) return this.#instruction(lt);
    if (lt + 1 >= this.#place.text.length) return INCOMPLETE;
    this.#damage.malformed('a "<" that begins no tag', lt);
    if (this.#record.field !== 'none') this.#record.mixed = true;
    return lt + 1;
  }

  #startTag(lt: number): number {
    const text = this.#place.text;
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
      this.#damage.malformed('a tag that never ends', lt);
      this.#record.damaged = true;
      return -2 - end;
    }
    this.#elements.start(lt, colon, at, end, hash);
    return end;
  }

  #endTag(lt: number): number {
    const text = this.#place.text;
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
        this.#damage.malformed('an end tag that does not end', lt);
        end = broken < 0 ? -2 - broken : broken;
      }
    }
    this.#elements.end(lt, end, hash);
    return end;
  }

  #declaration(lt: number): number {
    const text = this.#place.text;
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
      if (this.#elements.depth > 0) this.#damage.malformed('a document type inside the document', lt);
      return refuseDoctype(text, lt);
    }
    this.#damage.malformed('a declaration that is not allowed here', lt);
    return lt + 2;
  }

  #instruction(lt: number): number {
    if (this.#elements.roots > 0 && /^<\?xml\s/i.test(this.#place.text.slice(lt, lt + 6)))
      this.#damage.slip('a second XML declaration', lt);
    return this.#skipTo('?>', lt + 2);
  }

  /** Returns the index after `mark`. Without one, skips the rest of the block and continues in the next. */
  #skipTo(mark: string, from: number): number {
    const end = this.#place.text.indexOf(mark, from);
    if (end !== -1) return end + mark.length;
    this.#skipUntil = mark;
    return Math.max(from, this.#place.text.length - 2);
  }

  /** Adds text to the open field. Text of a CDATA section is not decoded. */
  #take(from: number, to: number, decode: boolean): void {
    const record = this.#record;
    const raw = this.#place.text.slice(from, to);
    if (decode && record.isBlank && PLAIN.test(raw)) {
      record.addPlain(raw);
      return;
    }
    const piece = this.#place.decode(from, to);
    const isEscaped = decode && piece.includes('&');
    record.add(
      isEscaped ? decodeEntities(piece, (entity) => this.#damage.slip(`"${entity}" is not an entity`, from)) : piece,
    );
  }

  #looseText(from: number, to: number): void {
    if (/[^\s\0]/.test(this.#place.text.slice(from, to))) this.#damage.slip('text outside of the root element', from);
  }
}

/** Text that needs no decoding: no entity, no white space, ASCII only. Nearly every loc and lastmod. */
const PLAIN = /^[!-%'-~]+$/;
