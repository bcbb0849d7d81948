import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SitemapError } from '../problems.ts';

/** True: everything. A list: these host names, addresses and networks (`10.0.0.0/8`). */
export type PrivateHosts = boolean | readonly string[];

/**
 * Keeps a crawl out of the network that it runs in. Sitemaps, redirects and the DNS of their hosts are untrusted input.
 * The guard checks the address that a connection is about to be made to, so a name that resolves to a public address
 * first and to a private one later is refused as well.
 */
export interface AddressGuard {
  /** Why no connection may be made to this address for this host; null if it may. */
  refusal(host: string, address: string): string | null;
  /** `dns.lookup` without the refused addresses; fails with PRIVATE_HOST when none is left. */
  readonly lookup: LookupFunction;
}

export function makeAddressGuard(allowed: PrivateHosts): AddressGuard {
  const isAllowed = allowed === true ? () => true : makeAllowList(allowed === false ? [] : allowed);

  function refusal(host: string, address: string): string | null {
    const range = getAddressRange(address);
    if (range === 'unicast' || isAllowed(host.toLowerCase(), address)) return null;
    return `${address} is ${range === undefined ? 'not an address' : `not a public address (${range})`}`;
  }

  const lookup: LookupFunction = (host, options, callback) => {
    dnsLookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [open, ...more] = found.filter(({ address }) => refusal(host, address) === null);
      const why = found.map(({ address }) => refusal(host, address)).find((reason) => reason !== null);
      if (open === undefined) callback(createPrivateHostError(host, why ?? 'it has no address'), []);
      else if (options.all === true) callback(null, [open, ...more]);
      else callback(null, open.address, open.family);
    });
  };

  return { refusal, lookup };
}

/** Why a host is refused before it is resolved: it is an address, or a name that always means this machine. Or null. */
export function explainRefusedName(guard: AddressGuard, hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (getAddressRange(bare) !== undefined) return guard.refusal(bare, bare);
  if (bare === 'localhost' || bare.endsWith('.localhost')) return guard.refusal(bare, '127.0.0.1');
  return null;
}

export function createPrivateHostError(host: string, why: string): SitemapError {
  return new SitemapError(
    'PRIVATE_HOST',
    `no connection to ${host} was made: ${why}. If you trust it, use --allow-private-hosts (init, crawl), or allow_private_hosts of the watch`,
  );
}

/** The kind of an address, 'unicast' for a public one; undefined for what is not an address. */
export function getAddressRange(address: string): string | undefined {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) === 0 || !ipaddr.isValid(bare)) return undefined;
  const parsed = ipaddr.process(bare);
  const range: string = parsed.range();
  const bytes = parsed.toByteArray();
  // The first form of an IPv4 address in IPv6, which some systems still connect to.
  const isCompatible = range === 'unicast' && bytes.length === 16 && bytes.slice(0, 12).every((byte) => byte === 0);
  if (parsed.kind() === 'ipv4' || (range !== 'rfc6052' && range !== '6to4' && !isCompatible)) return range;
  // NAT64 and 6to4 carry an IPv4 address, to which the connection is made in the end.
  return ipaddr.fromByteArray(range === '6to4' ? bytes.slice(2, 6) : bytes.slice(12)).range();
}

function makeAllowList(names: readonly string[]): (host: string, address: string) => boolean {
  const hosts = new Set(names.map((name) => name.toLowerCase().replace(/^\[|\]$/g, '')));
  const networks = names.filter((name) => ipaddr.isValidCIDR(name)).map((name) => ipaddr.parseCIDR(name));
  return (host, address) => {
    if (hosts.has(host.replace(/^\[|\]$/g, '')) || hosts.has(address)) return true;
    const parsed = ipaddr.process(address.replace(/%.*$/, ''));
    return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
}
