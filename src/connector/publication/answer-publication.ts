import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Watch } from '../../config/config.ts';
import { getFirst, type PostAnswer } from '../../observability/admin-listener.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { RequestedRun } from './request-run.ts';

export interface Publication {
  /** Path without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PublicationOptions {
  /** Read for each request, so that a rotated secret takes effect at once. */
  readonly readSecret: () => string;
  readonly getWatch: (id: WatchId) => Watch | undefined;
  readonly request: (watch: Watch) => Promise<RequestedRun>;
  /** The page of a run in Temporal's Web UI; null where its address is not known. */
  readonly toLink: (run: string) => string | null;
  readonly now: () => number;
}

const MINUTE = 60_000;
/** Requests a minute: of a watch, and of all that have no valid signature. */
const MOST_OF_WATCH = 120;
const MOST_REFUSED = 30;

/**
 * Answers `POST /runs/WATCH`. Who may not ask learns nothing of the watches: the credentials come before the path. An
 * attacker's wrong credentials are counted apart, so that they stop nobody else.
 */
export function createPublicationAnswerer(options: PublicationOptions): (post: Publication) => Promise<PostAnswer> {
  const { readSecret, getWatch, request, toLink, now } = options;
  const isTooMuch = countPerMinute(now);
  return async (post) => {
    if (!isAuthentic(post, readSecret())) {
      if (isTooMuch('', MOST_REFUSED)) return refuse(429, 'too many requests without a valid credential', RETRY_MINUTE);
      return refuse(401, 'give the token as "Authorization: Bearer TOKEN", or the HMAC of the body', CHALLENGE);
    }
    const [, name = ''] = /^\/runs\/([^/]+)$/.exec(post.path) ?? [];
    const watch = getWatch(name as WatchId);
    if (watch === undefined) return refuse(404, `the configuration has no watch "${name.slice(0, 64)}"`);
    if (isTooMuch(watch.id, MOST_OF_WATCH))
      return refuse(429, 'a run that begins later finds all of it: one request a minute is enough', RETRY_MINUTE);
    const requested = await request(watch);
    switch (requested.kind) {
      case 'started':
        return tell(202, { state: 'started', watch: watch.id, run: requested.run, link: toLink(requested.run) });
      case 'waiting': {
        const { behind, isNew } = requested;
        const link = behind === null ? null : toLink(behind);
        return tell(isNew ? 202 : 200, { state: 'waiting', watch: watch.id, run: null, behind, link });
      }
      case 'refused':
        return refuse(
          409,
          `${watch.id}: ${requested.why}, so no run was started. Its sitemaps are read by its next run`,
        );
      case 'busy':
        return refuse(503, `${requested.run} is active and was not started by the schedule: ask again`, RETRY_SOON);
    }
  };
}

const RETRY_MINUTE = { 'retry-after': '60' };
const RETRY_SOON = { 'retry-after': '15' };
const CHALLENGE = { 'www-authenticate': 'Bearer' };

const tell = (status: number, body: object): PostAnswer => ({ status, body });
const refuse = (status: number, reason: string, headers: Record<string, string> = {}): PostAnswer => ({
  status,
  body: { status: 'error', reason },
  headers,
});

/** A bearer token, or `X-Hub-Signature-256: sha256=HEX`, the HMAC-SHA-256 of the body, as GitHub and many others send it. */
function isAuthentic({ headers, body }: Publication, secret: string): boolean {
  const signature = getFirst(headers['x-hub-signature-256']);
  if (signature !== undefined) {
    return isSame(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  }
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token !== undefined && isSame(token, secret);
}

/** In constant time, whatever their lengths. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));

/** Counts calls by name in windows of a minute. */
function countPerMinute(now: () => number): (name: string, most: number) => boolean {
  let startedAt = now();
  let counts = new Map<string, number>();
  return (name, most) => {
    const at = now();
    if (at - startedAt >= MINUTE || at < startedAt) [startedAt, counts] = [at, new Map()];
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count > most;
  };
}
