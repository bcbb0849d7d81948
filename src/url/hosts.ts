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
  if (parseHost(host) !== null) return null;
  const named = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#@\\\s]+)(?:\/.*)?$/is.exec(host)?.[1];
  const isHost = named?.includes('.') === true && parseHost(named) !== null;
  return { says: 'no URL is on it: it is not a host', write: isHost ? [named] : [] };
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
