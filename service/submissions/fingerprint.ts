import { createHash, hash } from 'node:crypto';
import { pauseForOthers } from '../capacity/yield-to-event-loop.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

/**
 * The JSON text of a value with its members sorted, so that their order and white space do not count; the order of
 * lists does. Members with no value are left out.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) {
    // A list of texts, as URLs are, is written by the engine itself: five times faster.
    if (value.every((item) => typeof item === 'string')) return JSON.stringify(value);
    return `[${value.map(canonicalJson).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/**
 * What tells one request body from another under the same Idempotency-Key: SHA-256 over the canonical JSON of the
 * body as sent. Defaults are not applied, so a change of the default service cannot turn an honest retry into a 409.
 */
export function fingerprint(body: object): Buffer {
  return hash('sha256', canonicalJson(body as Json), 'buffer');
}

/** URLs that are hashed in one turn of the event loop: 400 kilobytes of the longest. */
const URLS_PER_TURN = 200;

/** The same for a body with a large list of URLs, in turns: 10 MB of them would hold the event loop for 40 ms. */
export async function fingerprintInTurns({ urls, ...rest }: { readonly urls?: readonly string[] }): Promise<Buffer> {
  if (urls === undefined || urls.length <= URLS_PER_TURN) return fingerprint({ ...rest, ...(urls && { urls }) });
  const digest = createHash('sha256');
  // The members of the contract sort before `urls`; so does every member that validation lets through.
  digest.update(canonicalJson({ ...rest, urls: [] } as Json).slice(0, -']}'.length), 'utf8');
  for (let start = 0; start < urls.length; start += URLS_PER_TURN) {
    const part = JSON.stringify(urls.slice(start, start + URLS_PER_TURN)).slice(1, -1);
    digest.update(start === 0 ? part : `,${part}`, 'utf8');
    await pauseForOthers();
  }
  return digest.update(']}', 'utf8').digest();
}
