import type { FastifyReply } from 'fastify';

/** Sets the headers of every answer. No CORS: the API is for servers (spec 1). */
export function securityHeaders(https: boolean): (reply: FastifyReply) => void {
  const headers = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
  return (reply) => void reply.headers(headers);
}
