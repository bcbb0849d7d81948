import type { FastifyInstance } from 'fastify';
import { authenticate } from '../accounts/keys.ts';
import { ApiError } from './api-error.ts';
import type { Context } from './context.ts';
import { setBudgetHeaders } from './limits/budget-headers.ts';
import { parseApiKey } from './request.ts';

/**
 * What stands before every authenticated route and before its body is read: first the key (401), then the budgets
 * (429). A refused key costs no budget, and every answer after it carries the budgets.
 */
export function requireApiKey(app: FastifyInstance, { db, limiter, now }: Context): void {
  app.decorateRequest('principal');
  app.addHook('onRequest', async (request, reply) => {
    const text = parseApiKey(request.raw);
    const principal = text === null ? null : await authenticate(db, text, now());
    if (principal === null) {
      reply.header('www-authenticate', 'Bearer');
      throw new ApiError('unauthorized');
    }
    request.principal = principal;
    const submission = request.method === 'POST' && request.routeOptions.config.submission === true;
    const verdict = await limiter.take(principal.key.id, submission);
    setBudgetHeaders((name, value) => reply.header(name, value), verdict.states);
    if (!verdict.allowed) {
      throw new ApiError('rate_limited', undefined, { retryAfterSeconds: verdict.retryAfterSeconds });
    }
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts against the budget of submissions (spec 8). */
    submission?: boolean;
  }
}
