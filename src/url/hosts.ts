import type { PatternProblem } from './globs.ts';

interface HostPattern {
  /** In lower case and Punycode; of `*.shop.example` it is `.shop.example`. */
  readonly name: string;
  readonly below: boolean;
  readonly port: string | null;
}

/**
 * Whether an origin is one of these hosts: `shop.example` is that host on any port, `shop.example:8443` only there,
 * `*.shop.example` every host below it. Without hosts, every origin is.
 */
export function compileHosts(hosts: readonly string[]): (origin: URL) => boolean {
  const patterns = hosts.flatMap((host) => parseHost(host) ?? []);
  if (hosts.length === 0) return () => true;
  return (origin) =>
    patterns.some(
      ({ name, below, port }) =>
        (below ? origin.hostname.endsWith(name) : origin.hostname === name) &&
        (port === null || port === getPort(origin)),
    );
}

/** Why no URL can be on a host as it is written; null when one can. */
export function findHostProblem(host: string): PatternProblem | null {
  if (parseHost(host) !== null && !ANSWER.test(host) && !host.startsWith('.')) return null;
  // No host begins with a dot; other programs mean all below it.
  if (host.startsWith('.')) return { says: 'no URL is on it: no host begins with a dot', write: [`*${host}`] };
  const named = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#@\\\s]+)(?:\/.*)?$/is.exec(host)?.[1];
  const isHost = named?.includes('.') === true && parseHost(named) !== null;
  return { says: 'no URL is on it: it is not a host', write: isHost ? [named] : [] };
}

/** What people write where they mean every host. */
const ANSWER = /^(true|false|yes|no|on|off|all|any|none)$/i;

/**
 * Why naming a private host so allows no connection; null when it allows one. It is a name, an address or a network: a
 * port or a wildcard is compared with nothing.
 */
export function findPrivateHostProblem(host: string): PatternProblem | null {
  const [, address = '', bits] = /^(.*)\/(\d{1,3})$/.exec(host) ?? [];
  const version = getVersion(address);
  if (bits !== undefined && version !== 0) {
    return Number(bits) <= (version === 4 ? 32 : 128) ? null : { says: 'it is not a network', write: [] };
  }
  const url = URL.parse(/^[a-z]+:\/\//i.test(host) ? host : `http://${getVersion(host) === 6 ? `[${host}]` : host}/`);
  const name = ANSWER.test(host) || url === null || /[*\s]/.test(host) ? '' : url.hostname.replace(/^\[|\]$/g, '');
  if (name !== '' && name === host.toLowerCase().replace(/^\[|\]$/g, '')) return null;
  return { says: 'it is not the name of a host, an address or a network', write: name === '' ? [] : [name] };
}

/** Null for what is not a host alone. */
function parseHost(host: string): HostPattern | null {
  const below = host.startsWith('*.');
  const name = below ? host.slice(2) : host;
  if (/[*/?#@\\\s]/.test(name)) return null;
  const url = URL.parse(`https://${below ? 'a.' : ''}${name}`);
  if (url === null || url.hostname === '') return null;
  const port = /:(\d+)$/.exec(name)?.[1] ?? null;
  return {
    name: below ? url.hostname.slice(1) : url.hostname,
    below,
    port: port === null ? null : String(Number(port)),
  };
}

const getPort = ({ port, protocol }: URL): string => (port !== '' ? port : protocol === 'https:' ? '443' : '80');

/** The version of an IP address; 0 for anything else. */
const getVersion = (text: string): 4 | 6 | 0 => {
  if (/^(\d{1,3}\.){3}\d{1,3}$/.test(text) && URL.parse(`http://${text}/`)?.hostname === text) return 4;
  return text.includes(':') && !/[[\]]/.test(text) && URL.canParse(`http://[${text}]/`) ? 6 : 0;
};
