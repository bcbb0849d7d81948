import { isAscii } from 'node:buffer';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import type { Found, ObservedEntry } from './found.ts';

/** A record: the fingerprint, the version (0 for none), where the URL begins, its length. Little-endian. */
const RECORD = 24;
const VERSION = 8;
const URL_FROM = 16;
const URL_LENGTH = 20;
/** Texts are made strings this many bytes at a time: a call into native code costs more than a slice of a string. */
const WINDOW = 32 * 1024;
/** A character of a string has at most this many bytes in UTF-8. */
const CHARACTER_BYTES = 3;

/**
 * Entries packed into two buffers. A string of an entry would keep the block that it was read from alive, and V8 would
 * copy it from one generation to the next: 50,000 entries that wait here need 6 MB.
 */
export class FoundList implements Found {
  #records = new DataView(new ArrayBuffer(64 * RECORD));
  #texts = Buffer.allocUnsafeSlow(4_096);
  #textBytes = 0;
  #length = 0;
  /** The texts from `#windowFrom` on as one string; empty before the first, and where a character is beyond ASCII. */
  #window = '';
  #windowFrom = 0;

  get length(): number {
    return this.#length;
  }

  /** Memory that the texts use. */
  get textBytes(): number {
    return this.#textBytes;
  }

  entry(at: number): ObservedEntry {
    const record = this.#toRecord(at);
    const version = this.#records.getFloat64(record + VERSION, true);
    const from = this.#records.getUint32(record + URL_FROM, true);
    const to = from + this.#records.getUint32(record + URL_LENGTH, true);
    return { url: this.#read(from, to) as Url, version: version === 0 ? null : (version as Version) };
  }

  key(at: number): bigint {
    return this.#records.getBigInt64(this.#toRecord(at), true);
  }

  /** 0: none. */
  setVersion(at: number, version: number): void {
    this.#records.setFloat64(this.#toRecord(at) + VERSION, version, true);
  }

  push(high: number, low: number, url: Url, version: number): void {
    const record = this.#length * RECORD;
    if (record === this.#records.byteLength) this.#records = new DataView(this.#records.buffer.transfer(record * 2));
    const textFrom = this.#textBytes;
    const urlLength = this.#write(url);
    this.#records.setUint32(record, low, true);
    this.#records.setUint32(record + 4, high, true);
    this.#records.setFloat64(record + VERSION, version, true);
    this.#records.setUint32(record + URL_FROM, textFrom, true);
    this.#records.setUint32(record + URL_LENGTH, urlLength, true);
    this.#length += 1;
  }

  #toRecord(at: number): number {
    if (at < 0 || at >= this.#length) throw new RangeError(`no entry ${at} of ${this.#length}`);
    return at * RECORD;
  }

  #read(from: number, to: number): string {
    if (from < this.#windowFrom || to > this.#windowFrom + this.#window.length) {
      const bytes = this.#texts.subarray(from, Math.min(from + Math.max(WINDOW, to - from), this.#textBytes));
      if (!isAscii(bytes)) return this.#texts.toString('utf8', from, to);
      this.#window = bytes.toString('latin1');
      this.#windowFrom = from;
    }
    return this.#window.slice(from - this.#windowFrom, to - this.#windowFrom);
  }

  /** Appends a text. Returns its bytes. */
  #write(text: string): number {
    const room = this.#textBytes + text.length * CHARACTER_BYTES;
    if (room > this.#texts.length) {
      const memory = this.#texts.buffer as ArrayBuffer;
      this.#texts = Buffer.from(memory.transfer(Math.max(room, this.#texts.length * 2)));
    }
    const length = this.#texts.write(text, this.#textBytes);
    this.#textBytes += length;
    return length;
  }
}
