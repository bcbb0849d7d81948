import type { Config } from '../config/config.ts';
import { maskSecrets } from '../config/mask-secrets.ts';
import type { AddressReference } from '../config/notify.ts';
import { readSecret, SecretMissingError } from '../config/secrets.ts';

/** Shorter values would mask ordinary words. */
const SHORTEST = 6;

/** Of an address, as of a sitemap behind a password. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/** Removes every configured secret, and what has the form of an API key, from a text for people. */
export function createRedactor(config: Config): (text: string) => string {
  const secrets = listReferences(config)
    .flatMap(readOrNothing)
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
    return maskSecrets(masked.replace(CREDENTIALS, '//[secret]@'));
  };
}

function listReferences({ accounts, watches, notify }: Config): AddressReference[] {
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
