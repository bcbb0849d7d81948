import type { FastifyInstance } from 'fastify';

/** Headers of every answer. No CORS: the API is for servers (spec 1). */
export function setSecurityHeaders(app: FastifyInstance, https: boolean): void {
  const headers = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
