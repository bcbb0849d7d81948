/**
 * Lower-case ASCII host without a port, and no address, which has many forms: what nearly every URL has, so it need not be
 * parsed to be compared. A host whose last label begins with a digit may be an address.
 */
const PLAIN = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*\.?\/[^#]*$/;
const PARTS = /^([A-Za-z]+:\/\/)([^/?#]*)([^#]*)/;

/**
 * What two URLs have in common when they are the same: they differ in the letter case of scheme and host only, or by
 * the default port, the fragment, or the slash of an empty path (RFC 3986 section 6.2.3). Path and query are compared
 * as sent. Takes a valid absolute URL.
 */
export function urlIdentity(url: string): string {
  if (PLAIN.test(url)) return url;
  const parts = PARTS.exec(url);
  const parsed = URL.parse(url);
  if (parts === null || parsed === null) return url;
  const [, , , rest = ''] = parts;
  return `${parsed.protocol}//${parsed.host}${rest.startsWith('/') ? rest : `/${rest}`}`;
}

/**
 * 53 bits of a URL's identity within an account, for the index behind the `url` filter (cyrb53, seeded with the
 * account). Not for security: who makes two URLs collide finds their own submission under both.
 */
export function urlKey(identity: string, account: number): number {
  let high = 0xdeadbeef ^ account;
  let low = 0x41c6ce57 ^ account;
  for (let index = 0; index < identity.length; index++) {
    const unit = identity.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
