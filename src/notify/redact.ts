import type { Config } from '../config/config.ts';
import { maskSecrets } from '../config/mask-secrets.ts';
import type { AddressReference } from '../config/notify.ts';
import { readSecret, SecretMissingError } from '../config/secrets.ts';

/** Shorter values would mask ordinary words. */
const SHORTEST = 6;

/** Of an address, as of a sitemap behind a password. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/** An address up to its query. */
const ADDRESS = /(https?:\/\/[^\s?#"'<>]+)/;

/**
 * Removes every configured secret, and what has the form of an API key, from a text for people. Names of the configuration,
 * addresses of its sites and the ids that are handed in stay: people paste them.
 */
export function createRedactor(config: Config, ids: readonly string[] = []): (text: string) => string {
  const secrets = listReferences(config)
    .flatMap(readOrNothing)
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  const { accounts, watches } = config;
  const known = new Set<string>([...accounts.keys(), ...watches.keys(), ...ids.filter((id) => !secrets.includes(id))]);
  const hosts = new Set(
    [...watches.values()].flatMap((watch) => [...(watch.hosts ?? []), ...watch.sources].map(toHost)),
  );
  const isOfSite = (part: string) => ADDRESS.test(part) && URL.canParse(part) && hosts.has(toHost(part));
  return (text) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
      .replace(CREDENTIALS, '//[secret]@')
      .split(ADDRESS)
      .map((part) => (isOfSite(part) ? part : maskSecrets(part, { ids: known })))
      .join('');
}

const toHost = (address: string): string => (URL.canParse(address) ? new URL(address).hostname : address);

function listReferences({ accounts, watches, notify, admin }: Config): AddressReference[] {
  return [
    ...[...accounts.values()].map(({ apiKey }) => apiKey),
    ...[...watches.values()].flatMap(({ headers, ping }) => [
      ...Object.values(headers),
      ...(ping === null ? [] : [ping]),
    ]),
    ...[...notify.channels.values()].flatMap((channel) => {
      if (channel.kind === 'email') return [channel.server];
      return channel.kind === 'webhook' && channel.secret !== null ? [channel.url, channel.secret] : [channel.url];
    }),
    ...(notify.ping === null ? [] : [notify.ping]),
    ...(admin?.runs == null ? [] : [admin.runs.secret]),
  ];
}

function readOrNothing(reference: AddressReference): string[] {
  if (typeof reference === 'string') return [reference];
  try {
    return [readSecret(reference)];
  } catch (error) {
    if (error instanceof SecretMissingError) return [];
    throw error;
  }
}
