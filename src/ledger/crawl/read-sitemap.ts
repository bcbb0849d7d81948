import { LIMITS } from '../../../contract/limits.ts';
import type { UrlBytes } from '../../url/normal-bytes.ts';
import { asKey, fingerprint, fingerprintBytes, lastmodMark, lastmodMarkBytes } from './fingerprint.ts';
import { type FingerprintList, type GrowingList, growingList, listKeys } from './fingerprint-list.ts';
import type { Found, ObservedEntry } from './found.ts';
import { FoundList } from './found-list.ts';

/** Where the URL and the lastmod of a record are; `lastmodFrom` is -1 without one. */
export interface RecordBytes {
  readonly locFrom: number;
  readonly locTo: number;
  readonly lastmodFrom: number;
  readonly lastmodTo: number;
}

/** Compares a sitemap with its last complete visit while it is read. Pure except for its own state. */
export interface SitemapReading {
  /**
   * Entries in the order of the document. With `order`, its numbers stand for entries that `find` has recognized, and each
   * -1 for the next of `entries`.
   */
  add(entries: readonly ObservedEntry[], order?: readonly number[]): void;
  /**
   * The number of the entry that the last complete visit listed with this URL and this lastmod, which is ASCII; -1 for
   * none. Changes nothing, so it may run ahead of `add`.
   */
  find(url: UrlBytes, lastmod: Uint8Array, lastmodFrom: number, lastmodTo: number): number;
  /** The same of the entry that `find` expects next; -1 changes nothing. */
  findNext(bytes: Uint8Array, fields: RecordBytes): number;
  /** Returns and clears the entries that are new or have another lastmod since the last complete visit. */
  takeFound(): Found;
  takeMoved(): Found;
  readonly pending: number;
  /** The memory of their texts. */
  readonly pendingBytes: number;
  readonly urls: number;
  /** Fingerprints that disappeared: meaningful only after the sitemap was read to its end. */
  missing(): bigint[];
  /** Fingerprints that were not in the last complete visit. */
  unlisted(): bigint[];
  /** The packed list of this visit; null when it equals the stored one. */
  snapshot(): Uint8Array | null;
}

/** Entries that are compared before the lookup. */
const GAP = 4;

/**
 * Compares in document order: while the order is unchanged, an entry costs one hash and one comparison. Only an entry
 * out of order needs a lookup. The list of this visit is written down only from its first difference on.
 */
export function readSitemap(before: FingerprintList, seed: number): SitemapReading {
  const seen = new Uint8Array(before.length);
  const half = new Uint32Array(2);
  const ascii = Buffer.allocUnsafe(LIMITS.urlLength * 3);
  let after: GrowingList | null = null;
  let fresh: GrowingList | null = null;
  let found = new FoundList();
  let moved = new FoundList();
  let next = 0;
  /** Where `find` expects the next entry. */
  let ahead = 0;

  /** Looks behind the expected place first: entries that are gone, or that `find` did not get, leave a gap there. */
  function indexOf(high: number, low: number, expected: number): number {
    const end = Math.min(expected + GAP, before.length);
    for (let index = expected; index < end; index++) {
      if (before.low(index) === low && before.high(index) === high) return index;
    }
    return before.length === 0 ? -1 : before.find(high, low);
  }

  /** The list of this visit, from its first difference on: so far it is that of the last visit up to `next`. */
  function changed(): GrowingList {
    if (after === null) {
      after = growingList(before.length + 64);
      for (let index = 0; index < next; index++)
        after.push(before.high(index), before.low(index), before.lastmod(index));
    }
    return after;
  }

  /** An entry of the last visit that stands unchanged. */
  function addStanding(index: number): void {
    if (seen[index] === 1) return;
    seen[index] = 1;
    const list = index === next ? after : changed();
    list?.push(before.high(index), before.low(index), before.lastmod(index));
    next = index + 1;
  }

  /** From bytes where it can: reading a string that is part of another takes three times as long. */
  function computeFingerprint(url: string): void {
    const isShort = url.length <= LIMITS.urlLength;
    const length = isShort ? ascii.write(url) : 0;
    // As many bytes as characters: all of it is ASCII.
    if (isShort && length === url.length) fingerprintBytes(ascii, 0, length, seed, half);
    else fingerprint(url, seed, half);
  }

  function addOne(entry: ObservedEntry): void {
    computeFingerprint(entry.url);
    const [high = 0, low = 0] = half;
    const index = indexOf(high, low, next);
    const mark = lastmodMark(entry.lastmod, seed);
    if (index >= 0) {
      if (seen[index] === 1) return;
      if (mark === before.lastmod(index)) {
        addStanding(index);
        return;
      }
      seen[index] = 1;
      moved.push(high, low, entry);
      changed().push(high, low, mark);
      next = index + 1;
      return;
    }
    fresh ??= growingList();
    if (fresh.find(high, low) >= 0) return;
    fresh.push(high, low, 0);
    changed().push(high, low, mark);
    found.push(high, low, entry);
  }

  return {
    add(entries, order) {
      if (order === undefined) {
        for (const entry of entries) addOne(entry);
        return;
      }
      let at = 0;
      for (const index of order) {
        const entry = index === -1 ? entries[at++] : undefined;
        if (entry === undefined) addStanding(index);
        else addOne(entry);
      }
    },
    find({ bytes, from, to }, lastmod, lastmodFrom, lastmodTo) {
      fingerprintBytes(bytes, from, to, seed, half);
      const [high = 0, low = 0] = half;
      const index = indexOf(high, low, ahead);
      if (index === -1) return -1;
      ahead = index + 1;
      return lastmodMarkBytes(lastmod, lastmodFrom, lastmodTo, seed) === before.lastmod(index) ? index : -1;
    },
    findNext(bytes, { locFrom, locTo, lastmodFrom, lastmodTo }) {
      if (ahead >= before.length) return -1;
      fingerprintBytes(bytes, locFrom, locTo, seed, half);
      if (before.low(ahead) !== half[1] || before.high(ahead) !== half[0]) return -1;
      if (lastmodMarkBytes(bytes, lastmodFrom, lastmodTo, seed) !== before.lastmod(ahead)) return -1;
      return ahead++;
    },
    takeFound() {
      const taken = found;
      found = new FoundList();
      return taken;
    },
    takeMoved() {
      const taken = moved;
      moved = new FoundList();
      return taken;
    },
    get pending() {
      return found.length + moved.length;
    },
    get pendingBytes() {
      return found.textBytes + moved.textBytes;
    },
    get urls() {
      return after?.length ?? next;
    },
    missing() {
      const gone: bigint[] = [];
      for (let index = 0; index < before.length; index++) {
        if (seen[index] === 0) gone.push(asKey(before.high(index), before.low(index)));
      }
      return gone;
    },
    unlisted: () => listKeys(fresh ?? growingList()),
    snapshot: () => (after === null && next === before.length ? null : changed().bytes()),
  };
}
