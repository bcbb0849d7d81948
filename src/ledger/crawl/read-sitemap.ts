import { LIMITS } from '../../../contract/limits.ts';
import type { UrlBytes } from '../../url/normal-bytes.ts';
import { getAheadEnd, isAhead, toLatest, type Version } from '../../url/version.ts';
import { asKey, fingerprint, fingerprintBytes } from '../pages/fingerprint.ts';
import { type FingerprintList, type GrowingList, growingList, listKeys } from '../pages/fingerprint-list.ts';
import { FetchTimes } from './fetch-times.ts';
import type { Found, ObservedEntry } from './found.ts';
import { FoundList } from './found-list.ts';

/** Where the URL of a record is. */
export interface LocBytes {
  readonly locFrom: number;
  readonly locTo: number;
}

/** Compares a sitemap with its last visit while it is read. Pure except for its own state. */
export interface SitemapReading {
  /**
   * Entries in the order of the document. With `order`, its numbers stand for entries that `find` has recognized, and each
   * -1 for the next of `entries`. Of a URL that stands there twice the later version counts.
   */
  add(entries: readonly ObservedEntry[], order?: readonly number[]): void;
  /**
   * The number of the entry that the last visit listed with this URL and this version; -1 for none. Changes nothing, so it
   * may run ahead of `add`.
   */
  find(url: UrlBytes, version: Version | null): number;
  /** The same for the entry that `find` expects next; -1 changes nothing. */
  findNext(bytes: Uint8Array, loc: LocBytes, version: Version | null): number;
  /** Returns and clears the entries that are new or have another version since the last visit. */
  takeFound(): Found;
  takeMoved(): FingerprintList;
  readonly pending: number;
  /** The memory of their texts. */
  readonly pendingBytes: number;
  readonly urls: number;
  /** Every version is the time of the fetch, so far: they count as unknown. */
  readonly isStamped: boolean;
  /**
   * Versions that lie ahead of the clock count as unknown. When the first of them no longer does, in milliseconds since 1970:
   * its time has come, or the clock was wrong. Null without one.
   */
  readonly aheadUntil: number | null;
  /** Fingerprints that disappeared: meaningful only after the sitemap was read to its end. */
  missing(): bigint[];
  /** Fingerprints that were not in the last complete visit. */
  unlisted(): bigint[];
  /** The packed list of this visit; null when it equals the stored one. */
  snapshot(): Uint8Array | null;
  /**
   * The list of the last visit with the versions that this one has shown, for a visit that is not complete: the next one
   * compares with what the rows have; null when it equals the stored one.
   */
  shown(): Uint8Array | null;
}

/** Entries that are compared before the lookup. */
const GAP = 4;

const UNSEEN = 0;
const STANDING = 1;
const MOVED = 2;

/**
 * Compares in document order: while the order is unchanged, an entry costs one hash and one comparison. Only an entry
 * out of order needs a lookup. The list of this visit is written down only from its first difference on. `now`: the time of the
 * visit.
 */
export function readSitemap(before: FingerprintList, seed: number, now: number): SitemapReading {
  const seen = new Uint8Array(before.length);
  const half = new Uint32Array(2);
  const ascii = Buffer.allocUnsafe(LIMITS.urlLength * 3);
  const times = new FetchTimes(now);
  let after: GrowingList | null = null;
  let fresh: GrowingList | null = null;
  let found = new FoundList();
  /** The place in `fresh` of the first of `found`. */
  let foundFrom = 0;
  let moved = growingList();
  /** The version that the visit has shown, where it is not that of the last one. */
  let shown: Float64Array | null = null;
  /** A URL stands in the document twice: then the list may become what it was. */
  let hasRepeats = false;
  let aheadUntil: number | null = null;
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
        after.push(before.high(index), before.low(index), before.version(index));
    }
    return after;
  }

  /** An entry of the last visit, with the version that it shows now. */
  function addListed(index: number, version: number): void {
    if (seen[index] !== UNSEEN) {
      addAgain(index, version);
      return;
    }
    const stands = version === before.version(index);
    const list = stands && index === next ? after : changed();
    list?.push(before.high(index), before.low(index), version);
    if (stands) {
      seen[index] = STANDING;
      times.stand();
    } else {
      show(index, version);
      moved.push(before.high(index), before.low(index), version);
      times.move(version);
    }
    next = index + 1;
  }

  function show(index: number, version: number): void {
    seen[index] = MOVED;
    shown ??= new Float64Array(before.length);
    shown[index] = version;
  }

  /** An entry of the last visit that stands in the document once more. */
  function addAgain(index: number, version: number): void {
    hasRepeats = true;
    const known = seen[index] === MOVED ? (shown?.[index] ?? 0) : before.version(index);
    const latest = laterOf(known, version);
    if (latest === known) return;
    const [high, low] = [before.high(index), before.low(index)];
    const list = changed();
    list.setVersion(list.find(high, low), latest);
    show(index, latest);
    move(high, low, latest);
  }

  /** A new entry that stands in the document once more. */
  function addNewAgain(at: number, high: number, low: number, version: number): void {
    const known = fresh?.version(at) ?? 0;
    const latest = laterOf(known, version);
    if (latest === known) return;
    const list = changed();
    list.setVersion(list.find(high, low), latest);
    fresh?.setVersion(at, latest);
    if (at >= foundFrom) found.setVersion(at - foundFrom, latest);
    else move(high, low, latest);
  }

  function move(high: number, low: number, version: number): void {
    const at = moved.find(high, low);
    if (at >= 0) moved.setVersion(at, version);
    else moved.push(high, low, version);
  }

  /** From bytes where it can: reading a string that is part of another takes three times as long. */
  function computeFingerprint(url: string): void {
    const isShort = url.length <= LIMITS.urlLength;
    const length = isShort ? ascii.write(url) : 0;
    // As many bytes as characters: all of it is ASCII.
    if (isShort && length === url.length) fingerprintBytes(ascii, 0, length, seed, half);
    else fingerprint(url, seed, half);
  }

  function addOne({ url, version: named }: ObservedEntry): void {
    computeFingerprint(url);
    const [high = 0, low = 0] = half;
    const isUnknown = named === null || isAhead(named, now);
    if (isUnknown && named !== null) aheadUntil = Math.min(aheadUntil ?? Number.POSITIVE_INFINITY, getAheadEnd(named));
    const version = isUnknown ? 0 : named;
    const index = indexOf(high, low, next);
    if (index >= 0) {
      addListed(index, version);
      return;
    }
    fresh ??= growingList();
    const at = fresh.find(high, low);
    if (at >= 0) {
      addNewAgain(at, high, low, version);
      return;
    }
    fresh.push(high, low, version);
    changed().push(high, low, version);
    found.push(high, low, url, version);
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
        if (entry === undefined) addListed(index, before.version(index));
        else addOne(entry);
      }
    },
    find({ bytes, from, to }, version) {
      fingerprintBytes(bytes, from, to, seed, half);
      const [high = 0, low = 0] = half;
      const index = indexOf(high, low, ahead);
      if (index === -1) return -1;
      ahead = index + 1;
      return (version ?? 0) === before.version(index) ? index : -1;
    },
    findNext(bytes, { locFrom, locTo }, version) {
      if (ahead >= before.length || (version ?? 0) !== before.version(ahead)) return -1;
      fingerprintBytes(bytes, locFrom, locTo, seed, half);
      if (before.low(ahead) !== half[1] || before.high(ahead) !== half[0]) return -1;
      return ahead++;
    },
    takeFound() {
      const taken = found;
      foundFrom += taken.length;
      found = new FoundList();
      if (times.isStamped) for (let at = 0; at < taken.length; at++) taken.setVersion(at, 0);
      return taken;
    },
    takeMoved() {
      const taken = moved;
      moved = growingList();
      return times.isStamped ? growingList() : taken;
    },
    get pending() {
      return found.length + moved.length;
    },
    get pendingBytes() {
      return found.textBytes;
    },
    get urls() {
      return after?.length ?? next;
    },
    get isStamped() {
      return times.isStamped;
    },
    get aheadUntil() {
      return aheadUntil;
    },
    missing() {
      const gone: bigint[] = [];
      for (let index = 0; index < before.length; index++) {
        if (seen[index] === UNSEEN) gone.push(asKey(before.high(index), before.low(index)));
      }
      return gone;
    },
    unlisted: () => listKeys(fresh ?? growingList()),
    snapshot() {
      const stands = after === null ? next === before.length : hasRepeats && isSameList(after, before);
      return stands ? null : changed().bytes();
    },
    shown() {
      if (shown === null) return null;
      const list = growingList(before.length);
      for (let index = 0; index < before.length; index++) {
        const version = seen[index] === MOVED ? (shown[index] ?? 0) : before.version(index);
        list.push(before.high(index), before.low(index), version);
      }
      return list.bytes();
    },
  };
}

function isSameList(a: FingerprintList, b: FingerprintList): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) {
    if (a.low(at) !== b.low(at) || a.high(at) !== b.high(at) || a.version(at) !== b.version(at)) return false;
  }
  return true;
}

/** `toLatest` of versions as lists have them: 0 for none. */
const laterOf = (a: number, b: number): number => toLatest(toVersion(a), toVersion(b)) ?? 0;

const toVersion = (version: number): Version | null => (version === 0 ? null : (version as Version));
