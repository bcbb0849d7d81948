import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

/** A byte order mark is kept, so the text is not JSON (RFC 8259, section 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Content types that are JSON in UTF-8; parameters other than charset are ignored. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}

/** Bodies are JSON in UTF-8 and nothing else: 415 for another type, 413 for too much, 400 for what cannot be read. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)));
    } catch {
      done(new ApiError('invalid_json'));
    }
  });
  // Before the body is read: a type that Fastify would let pass, or none at all on a request without a body.
  app.addHook('preParsing', async (request) => {
    if (request.method === 'POST' && !isJson(request.headers['content-type'])) {
      throw new ApiError('unsupported_media_type');
    }
  });
}
