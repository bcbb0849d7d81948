import { asKey } from './fingerprint.ts';

/**
 * What the ledger remembers of a sitemap: for each entry, in the order of the document, 64 bits of its URL and 32 bits
 * of its lastmod. 12 bytes a URL, so a run that finds no change compares two arrays and touches no row.
 */
export interface FingerprintList {
  readonly length: number;
  high(index: number): number;
  low(index: number): number;
  lastmod(index: number): number;
  /** The index of a URL, or -1. The first call builds the look-up table. */
  find(high: number, low: number): number;
}

export interface GrowingList extends FingerprintList {
  push(high: number, low: number, lastmod: number): void;
  /** The packed bytes, little-endian words. */
  bytes(): Uint8Array;
}

const WORDS = 3;

/** Reads a packed list. Throws a RangeError when the bytes are not whole entries: the snapshot is then not used. */
export function unpackList(bytes: Uint8Array): FingerprintList {
  if (bytes.byteLength % (WORDS * 4) !== 0)
    throw new RangeError(`${bytes.byteLength} bytes are not a fingerprint list`);
  const words = new Uint32Array(bytes.byteLength / 4);
  new Uint8Array(words.buffer).set(bytes);
  return toFingerprintList(words, words.length / WORDS);
}

/** An empty list that grows, and finds what was pushed. */
export function growingList(capacity = 64): GrowingList {
  return toFingerprintList(new Uint32Array(capacity * WORDS), 0);
}

/** The URLs of a list as the `urls` table is indexed by them. */
export function listKeys(list: FingerprintList): bigint[] {
  return Array.from({ length: list.length }, (_, at) => asKey(list.high(at), list.low(at)));
}

function toFingerprintList(initial: Uint32Array, count: number): GrowingList {
  let words = initial;
  let length = count;
  /** Open addressing, at most half full: index + 1 of the entry, 0 for a free place. */
  let table: Uint32Array | null = null;

  /** Every caller stays within `length`: the fallback only satisfies the type. */
  const word = (index: number, offset: number): number => words[index * WORDS + offset] ?? 0;

  function place(into: Uint32Array, index: number): void {
    const mask = into.length - 1;
    for (let at = word(index, 1) & mask; ; at = (at + 1) & mask) {
      if (into[at] === 0) {
        into[at] = index + 1;
        return;
      }
    }
  }

  function indexed(): Uint32Array {
    if (table !== null && table.length >= length * 2) return table;
    let size = 128;
    while (size < length * 4) size *= 2;
    table = new Uint32Array(size);
    for (let index = 0; index < length; index++) place(table, index);
    return table;
  }

  return {
    get length() {
      return length;
    },
    high: (index) => word(index, 0),
    low: (index) => word(index, 1),
    lastmod: (index) => word(index, 2),
    find(high, low) {
      const places = indexed();
      const mask = places.length - 1;
      for (let at = low & mask; ; at = (at + 1) & mask) {
        const index = (places[at] ?? 0) - 1;
        if (index < 0) return -1;
        if (word(index, 1) === low && word(index, 0) === high) return index;
      }
    },
    push(high, low, lastmod) {
      if ((length + 1) * WORDS > words.length) {
        const larger = new Uint32Array(Math.max(words.length * 2, 64 * WORDS));
        larger.set(words);
        words = larger;
      }
      words[length * WORDS] = high;
      words[length * WORDS + 1] = low;
      words[length * WORDS + 2] = lastmod;
      if (table !== null && table.length >= (length + 1) * 2) place(table, length);
      length += 1;
    },
    bytes: () => new Uint8Array(words.buffer, 0, length * WORDS * 4).slice(),
  };
}
