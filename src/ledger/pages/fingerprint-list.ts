import { asKey } from './fingerprint.ts';

/**
 * What the ledger remembers of a sitemap: for each entry, in the order of the document, 64 bits of its URL, and its version
 * (src/url/version.ts; 0 for none). 16 bytes a URL, so a run that finds no change compares two arrays and touches no row.
 */
export interface FingerprintList {
  readonly length: number;
  high(index: number): number;
  low(index: number): number;
  version(index: number): number;
  /** The index of a URL, or -1. The first call builds the look-up table. */
  find(high: number, low: number): number;
}

export interface GrowingList extends FingerprintList {
  /** Marks the entries that another list has too: 1 at the index of each in `marks`. */
  markListed(other: FingerprintList, marks: Uint8Array): void;
  push(high: number, low: number, version: number): void;
  setVersion(index: number, version: number): void;
  /** The packed bytes, little-endian words. */
  bytes(): Uint8Array;
}

const WORDS = 4;
const HIGH = 2 ** 32;

/** Reads a packed list. Throws a RangeError when the bytes are not whole entries: the snapshot is then not used. */
export function unpackList(bytes: Uint8Array): FingerprintList {
  if (bytes.byteLength % (WORDS * 4) !== 0)
    throw new RangeError(`${bytes.byteLength} bytes are not a fingerprint list`);
  const words = new Uint32Array(bytes.byteLength / 4);
  new Uint8Array(words.buffer).set(bytes);
  return new PackedList(words, words.length / WORDS);
}

/** An empty list that grows, and finds what was pushed. */
export function growingList(capacity = 64): GrowingList {
  return new PackedList(new Uint32Array(capacity * WORDS), 0);
}

/** The URLs of a list as the `urls` table is indexed by them. */
export function listKeys(list: FingerprintList): bigint[] {
  return Array.from({ length: list.length }, (_, at) => asKey(list.high(at), list.low(at)));
}

const FILTER_MASK = 2 ** 20 - 1;

/** A class, not closures: its small methods are called for each page of a crawl, and V8 inlines these. */
class PackedList implements GrowingList {
  #words: Uint32Array;
  #length: number;
  /** Open addressing, at most half full: index + 1 of the entry, 0 for a free place. */
  #table: Uint32Array | null = null;
  /** 1 for the low bits of each entry; of another list, most entries need no look-up. */
  #filter: Uint8Array | null = null;

  constructor(words: Uint32Array, length: number) {
    this.#words = words;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  // Every caller stays within `length`: the fallbacks only satisfy the type.
  high(index: number): number {
    return this.#words[index * WORDS] ?? 0;
  }

  low(index: number): number {
    return this.#words[index * WORDS + 1] ?? 0;
  }

  /** A signed integer of 53 bits in two words. */
  version(index: number): number {
    const at = index * WORDS + 2;
    return ((this.#words[at] ?? 0) | 0) * HIGH + (this.#words[at + 1] ?? 0);
  }

  setVersion(index: number, version: number): void {
    const at = index * WORDS + 2;
    this.#words[at] = Math.floor(version / HIGH);
    this.#words[at + 1] = version;
  }

  find(high: number, low: number): number {
    const table = this.#indexed();
    const mask = table.length - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const index = (table[at] ?? 0) - 1;
      if (index < 0) return -1;
      if (this.low(index) === low && this.high(index) === high) return index;
    }
  }

  markListed(other: FingerprintList, marks: Uint8Array): void {
    const filter = this.#filtered();
    for (let at = 0; at < other.length; at++) {
      if (filter[other.low(at) & FILTER_MASK] === 0) continue;
      const index = this.find(other.high(at), other.low(at));
      if (index >= 0) marks[index] = 1;
    }
  }

  push(high: number, low: number, version: number): void {
    const from = this.#length * WORDS;
    if (from + WORDS > this.#words.length) {
      const larger = new Uint32Array(Math.max(this.#words.length * 2, 64 * WORDS));
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[from] = high;
    this.#words[from + 1] = low;
    this.setVersion(this.#length, version);
    const table = this.#table;
    if (table !== null && table.length >= (this.#length + 1) * 2) this.#place(table, this.#length);
    this.#length += 1;
    if (this.#filter !== null) this.#filter[low & FILTER_MASK] = 1;
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, 0, this.#length * WORDS * 4).slice();
  }

  #filtered(): Uint8Array {
    if (this.#filter !== null) return this.#filter;
    const filter = new Uint8Array(FILTER_MASK + 1);
    for (let index = 0; index < this.#length; index++) filter[this.low(index) & FILTER_MASK] = 1;
    this.#filter = filter;
    return filter;
  }

  #place(table: Uint32Array, index: number): void {
    const mask = table.length - 1;
    for (let at = this.low(index) & mask; ; at = (at + 1) & mask) {
      if (table[at] === 0) {
        table[at] = index + 1;
        return;
      }
    }
  }

  #indexed(): Uint32Array {
    const known = this.#table;
    if (known !== null && known.length >= this.#length * 2) return known;
    let size = 128;
    while (size < this.#length * 4) size *= 2;
    const table = new Uint32Array(size);
    for (let index = 0; index < this.#length; index++) this.#place(table, index);
    this.#table = table;
    return table;
  }
}
