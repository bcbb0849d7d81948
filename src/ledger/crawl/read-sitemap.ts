import { asKey, fingerprint, lastmodMark } from './fingerprint.ts';
import { type FingerprintList, growingList, listKeys } from './fingerprint-list.ts';
import { type Found, foundList, type ObservedEntry } from './found.ts';

/** Compares a sitemap with its last complete visit while it is read. Pure except for its own state. */
export interface SitemapReading {
  add(entries: readonly ObservedEntry[]): void;
  /** Returns and clears the entries that are new or have another lastmod since the last complete visit. */
  takeFound(): Found;
  takeMoved(): Found;
  readonly pending: number;
  readonly urls: number;
  /** Fingerprints that disappeared: meaningful only after the sitemap was read to its end. */
  missing(): bigint[];
  /** Fingerprints that were not in the last complete visit. */
  unlisted(): bigint[];
  /** The packed list of this visit; null when it equals the stored one. */
  snapshot(): Uint8Array | null;
}

/**
 * Compares in document order: while the order is unchanged, an entry costs one hash and one comparison. Only an entry
 * out of order needs a lookup.
 */
export function readSitemap(before: FingerprintList, seed: number): SitemapReading {
  const seen = new Uint8Array(before.length);
  const after = growingList(before.length + 64);
  const half = new Uint32Array(2);
  let fresh: ReturnType<typeof growingList> | null = null;
  let found = foundList();
  let moved = foundList();
  let next = 0;
  let same = true;

  function addOne(entry: ObservedEntry): void {
    fingerprint(entry.url, seed, half);
    const [high = 0, low = 0] = half;
    const expected = next < before.length && before.low(next) === low && before.high(next) === high;
    const index = expected ? next : before.length === 0 ? -1 : before.find(high, low);
    if (index >= 0) {
      if (seen[index] === 1) return;
      seen[index] = 1;
      if (index !== next) same = false;
      next = index + 1;
      const mark = lastmodMark(entry.lastmod, seed);
      if (mark !== before.lastmod(index)) {
        same = false;
        moved.push(high, low, entry);
      }
      after.push(high, low, mark);
      return;
    }
    fresh ??= growingList();
    if (fresh.find(high, low) >= 0) return;
    same = false;
    fresh.push(high, low, 0);
    after.push(high, low, lastmodMark(entry.lastmod, seed));
    found.push(high, low, entry);
  }

  return {
    add(entries) {
      for (const entry of entries) addOne(entry);
    },
    takeFound() {
      const taken = found;
      found = foundList();
      return taken;
    },
    takeMoved() {
      const taken = moved;
      moved = foundList();
      return taken;
    },
    get pending() {
      return found.length + moved.length;
    },
    get urls() {
      return after.length;
    },
    missing() {
      const gone: bigint[] = [];
      for (let index = 0; index < before.length; index++) {
        if (seen[index] === 0) gone.push(asKey(before.high(index), before.low(index)));
      }
      return gone;
    },
    unlisted: () => listKeys(fresh ?? growingList()),
    snapshot: () => (same && after.length === before.length ? null : after.bytes()),
  };
}
