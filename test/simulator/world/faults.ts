import { createDeck, pick } from '../../support/seeded.ts';
import type { Fault, NetRequest } from '../platform/network.ts';
import { POISON, respond } from './site.ts';

const envelope = (code: string): string =>
  JSON.stringify({
    success: false,
    status: 'error',
    message: code,
    data: null,
    error: { code, message: code },
    request_id: 'req_gateway',
  });

const json = (status: number, code: string, headers: Record<string, string> = {}) =>
  respond(status, 'application/json', envelope(code), headers);

const READS = [
  'drop-before',
  'refused',
  'drop-after',
  'cut',
  'stall',
  'html',
  'rate-limit',
  'unavailable',
  'error-after',
] as const;
const POSTS = [...READS, 'late', 'too-large'] as const;
type Kind = (typeof POSTS)[number];

export interface FaultSettings {
  readonly random: () => number;
  /** Share of requests that meet a fault now. */
  readonly share: () => number;
  readonly tooLarge: number | null;
  /** Whether a gateway refuses every key now. */
  readonly refusesKey: () => boolean;
}

/** What happens to requests on their way to the service and back. */
export function serviceFaults({ random, share, tooLarge, refusesKey }: FaultSettings): (request: NetRequest) => Fault {
  const forPosts = createDeck<Kind>(random, POSTS);
  const forReads = createDeck<Kind>(random, READS);
  return (request) => {
    if (refusesKey()) return { kind: 'instead', response: json(401, 'unauthorized') };
    const urls = readUrls(request);
    if (urls.some((url) => url.includes(POISON))) return { kind: 'instead', response: json(422, 'validation_error') };
    if (tooLarge !== null && urls.length > tooLarge) {
      return { kind: 'instead', response: json(413, 'payload_too_large') };
    }
    if (random() >= share()) return { kind: 'none' };
    return toFault(request.method === 'POST' ? forPosts() : forReads(), urls, random);
  };
}

function toFault(kind: Kind, urls: readonly string[], random: () => number): Fault {
  switch (kind) {
    case 'drop-before':
    case 'refused':
    case 'drop-after':
    case 'cut':
      return { kind };
    case 'stall':
      return { kind, ms: Math.floor(random() * 120_000) };
    case 'late':
      // Longer than any request of the client lasts, and shorter than the time after which an absence counts.
      return { kind, ms: Math.floor(random() * 150_000) };
    case 'html':
      return { kind: 'instead', response: respond(200, 'text/html', '<html><body>Please sign in</body></html>') };
    case 'rate-limit':
      return {
        kind: 'instead',
        response: json(429, 'rate_limited', { 'retry-after': pick(random, ['1', '30', '600']) }),
      };
    case 'unavailable':
      return { kind: 'instead', response: json(503, 'unavailable', { 'retry-after': pick(random, ['1', '120']) }) };
    case 'error-after':
      return { kind: 'instead-after', response: respond(502, 'text/html', '<h1>502 Bad Gateway</h1>') };
    case 'too-large':
      // A gateway that refuses this once what it lets through at another time. One URL alone would need review.
      return urls.length > 4
        ? { kind: 'instead', response: respond(413, 'text/html', '<h1>413 Request Entity Too Large</h1>') }
        : { kind: 'none' };
  }
}

function readUrls({ method, path, body }: NetRequest): readonly string[] {
  if (method !== 'POST' || !path.endsWith('/submissions')) return [];
  return (JSON.parse(body.toString('utf8')) as { urls: string[] }).urls;
}

/** What a site may do instead of giving its sitemap. */
export function siteFaults(random: () => number, share: () => number): () => Fault {
  return () => {
    if (random() >= share()) return { kind: 'none' };
    const kind = pick(random, ['error', 'cut', 'hang', 'missing', 'html'] as const);
    switch (kind) {
      case 'error':
        return { kind: 'instead', response: respond(500, 'text/plain', 'out of memory') };
      case 'missing':
        return { kind: 'instead', response: respond(404, 'text/html', '<h1>Not found</h1>') };
      case 'html':
        return { kind: 'instead', response: respond(200, 'text/html', '<!doctype html><p>We will be back soon.</p>') };
      case 'cut':
        return { kind };
      case 'hang':
        return { kind: 'stall', ms: Math.floor(random() * 60_000) };
    }
  };
}
