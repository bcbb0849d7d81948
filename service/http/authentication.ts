import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../src/database/database.ts';
import { authenticate } from '../accounts/keys.ts';
import { shareDatabase } from '../capacity/shared-database.ts';
import { ApiError } from './api-error.ts';
import type { Context } from './context.ts';
import { setBudgetHeaders } from './limits/budget-headers.ts';
import { parseApiKey } from './request.ts';

/**
 * Runs before every authenticated route, before its body is read: checks the load (503), the key (401), then the
 * budgets (429). A rejected key uses no budget, and every later response carries the budgets.
 */
export function requireApiKey(app: FastifyInstance, context: Context): void {
  app.decorateRequest('principal');
  app.decorateRequest('db');
  app.addHook('onRequest', (request, reply) => admit(context, request, reply));
}

/** Throws the ApiError of a request that may not continue; sets its principal and its view of the database otherwise. */
export async function admit(
  { db, queue, load, shares, limiter, deniedPace, metrics, now }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const key = parseApiKey(request.raw);
  const share = shares.find(key, request.ip);
  const leave = load.enter(share);
  if (leave === null) throw new ApiError('service_unavailable', OVERLOADED, { retryAfterSeconds: LOAD_RETRY_SECONDS });
  reply.raw.once('close', leave);
  const principal = key === null ? null : await authenticate(shareDatabase(db, queue, share), key, now());
  if (key === null || principal === null) {
    if (key !== null) shares.forget(key);
    reply.header('www-authenticate', 'Bearer');
    throw new ApiError('unauthorized');
  }
  request.principal = principal;
  request.db = shareDatabase(db, queue, shares.remember(key, principal.account.id));
  const submission = request.method === 'POST' && request.routeOptions.config?.submission === true;
  const verdict = await limiter.take(principal.key.id, submission, request.db);
  setBudgetHeaders((name, value) => reply.header(name, value), verdict.states);
  if (!verdict.allowed) {
    for (const { name, remaining } of verdict.states) if (remaining === 0) metrics.denied(name);
    // An answer that waits is no work: it takes no place from another request.
    reply.raw.off('close', leave);
    leave();
    await deniedPace.wait(principal.key.id);
    throw new ApiError('rate_limited', undefined, { retryAfterSeconds: verdict.retryAfterSeconds });
  }
}

const LOAD_RETRY_SECONDS = 1;
const OVERLOADED =
  'Too many concurrent requests. Nothing was charged; retry with the same Idempotency-Key after Retry-After.';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts against the budget of submissions (spec 8). */
    submission?: boolean;
  }
  interface FastifyRequest {
    /** The database through the fair queue: for everything before a charge. */
    db: Database;
  }
}
