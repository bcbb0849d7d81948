import type { FastifyInstance } from 'fastify';

/**
 * For a proxy that serves the service below a path and takes that path off each request: puts it before every address
 * that an answer names. Pages escape quotes in their texts, so only their own attributes match.
 */
export function addPathPrefix(app: FastifyInstance, prefix: string): void {
  if (prefix === '') return;
  app.addHook('onSend', async (_request, reply, payload) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/')) reply.header('location', prefix + location);
    if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return payload;
    return payload.replaceAll(/ (href|action)="\//g, ` $1="${prefix}/`);
  });
}
