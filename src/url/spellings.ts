import type { Url } from './normalize-url.ts';

const CHANGES: readonly ((url: URL) => void)[] = [
  (url) => {
    if (url.pathname !== '/')
      url.pathname = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : `${url.pathname}/`;
  },
  (url) => {
    url.protocol = url.protocol === 'https:' ? 'http:' : 'https:';
  },
  (url) => {
    url.hostname = url.hostname.startsWith('www.') ? url.hostname.slice(4) : `www.${url.hostname}`;
  },
  (url) => {
    url.search = '';
  },
  (url) => {
    url.pathname = url.pathname.toLowerCase();
  },
];

/**
 * Other spellings under which a page may be listed: with or without the slash at the end, `www.`, the query, capital
 * letters, over the other scheme. Those with the fewest changes first, without the URL itself.
 */
export function listSpellings(url: Url): Url[] {
  const found = new Set<Url>();
  const combinations = Array.from({ length: 2 ** CHANGES.length }, (_, bits) => bits).sort(
    (a, b) => countBits(a) - countBits(b),
  );
  for (const bits of combinations) {
    const other = new URL(url);
    for (const [at, change] of CHANGES.entries()) if ((bits & (1 << at)) !== 0) change(other);
    if (other.href !== url) found.add(other.href as Url);
  }
  return [...found];
}

const countBits = (bits: number): number => (bits === 0 ? 0 : (bits & 1) + countBits(bits >> 1));
