import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SitemapError } from '../problems.ts';

/** True: everything. A list: these host names, addresses and networks (`10.0.0.0/8`). */
export type PrivateHosts = boolean | readonly string[];

/**
 * Keeps a crawl out of the network that it runs in. A sitemap is written by strangers, and so are redirects and the DNS
 * of their hosts: what is judged is the address that a connection is about to be made to, so a name that resolves to a
 * public address first and to a private one later gains nothing.
 */
export interface AddressGuard {
  /** Why this address may not be connected to for this host; null when it may. */
  refusal(host: string, address: string): string | null;
  /** `dns.lookup` that never answers with a refused address; fails with PRIVATE_HOST when no other is left. */
  readonly lookup: LookupFunction;
}

export function makeAddressGuard(allowed: PrivateHosts): AddressGuard {
  const isAllowed = allowed === true ? () => true : makeAllowList(allowed === false ? [] : allowed);

  function refusal(host: string, address: string): string | null {
    const range = getAddressRange(address);
    if (range === 'unicast' || isAllowed(host.toLowerCase(), address)) return null;
    return `${address} is ${range === undefined ? 'no address' : `not a public address (${range})`}`;
  }

  const lookup: LookupFunction = (host, options, callback) => {
    dnsLookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const open = found.filter(({ address }) => refusal(host, address) === null);
      if (open.length === 0) callback(privateHost(host, refusal(host, found[0]!.address)!), []);
      else answer(open, options.all === true, callback);
    });
  };

  return { refusal, lookup };
}

function answer(found: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  if (all) callback(null, found);
  else callback(null, found[0]!.address, found[0]!.family);
}

/** Why a host is refused before anyone resolves it: it is an address, or a name that always means this machine. */
export function literalRefusal(guard: AddressGuard, hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (getAddressRange(bare) !== undefined) return guard.refusal(bare, bare);
  if (bare === 'localhost' || bare.endsWith('.localhost')) return guard.refusal(bare, '127.0.0.1');
  return null;
}

export function privateHost(host: string, why: string): SitemapError {
  return new SitemapError(
    'PRIVATE_HOST',
    `no connection to ${host} was made: ${why}. Allow private hosts if this site is yours to reach`,
  );
}

/** A name for what an address is for, 'unicast' when anyone may be reached there; undefined when it is no address. */
export function getAddressRange(address: string): string | undefined {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) === 0 || !ipaddr.isValid(bare)) return undefined;
  const parsed = ipaddr.process(bare);
  const range: string = parsed.range();
  if (parsed.kind() === 'ipv4' || (range !== 'rfc6052' && range !== '6to4')) return range;
  // NAT64 and 6to4 carry an IPv4 address, and that is where the connection ends.
  const bytes = parsed.toByteArray();
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
