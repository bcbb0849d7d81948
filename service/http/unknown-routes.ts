import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BASE_PATH } from '../../contract/version.ts';
import { ApiError } from './api-error.ts';
import { toApiError } from './error-mapping.ts';
import { parseApiKey } from './request.ts';

/**
 * Paths that do not exist answer 404, and a browser with a page; a path that does, asked with a method that it does not
 * have (OPTIONS, TRACE and any other included), answers 405 with Allow. Judged before the body is read. With a valid key
 * it is a request like any other: counted, and answered with the budgets (spec 8). Call it before any route is added.
 */
export function answerUnknownRoutes(app: FastifyInstance, { showPage, admit }: UnknownRouteHandlers): void {
  /** The methods of each route. */
  const known = new Map<string, Set<string>>();
  /** Made for the first path that does not exist. */
  let patterns: (readonly [RegExp, ReadonlySet<string>])[] | null = null;
  app.addHook('onRoute', ({ url: given, method }) => {
    const url = withoutSlash(given);
    const methods = known.get(url) ?? new Set<string>();
    for (const each of [method].flat()) methods.add(each);
    known.set(url, methods);
  });
  /** A key that is not valid changes nothing: what does not exist needs none. */
  async function admitKnown(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await admit(request, reply);
    } catch (error) {
      if (toApiError(error).code !== 'unauthorized') throw error;
      reply.removeHeader('www-authenticate');
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined;
    const path = withoutSlash(request.url.replace(/\?.*$/s, ''));
    patterns ??= [...known].map(([url, each]) => [toPattern(url), each] as const);
    const [, methods] = patterns.find(([pattern]) => pattern.test(path)) ?? [];
    if (methods === undefined && isPageRequest(request)) return showPage(request, reply);
    if (path.startsWith(`${BASE_PATH}/`) && parseApiKey(request.raw) !== null) await admitKnown(request, reply);
    if (methods === undefined) throw new ApiError('route_not_found');
    reply.header('allow', [...methods].join(', '));
    throw new ApiError('method_not_allowed');
  });
}

/** What matches the paths of a route. */
const toPattern = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.]/g, '\\.').replaceAll(/:[a-z]+/g, '[^/]+')}$`);

export interface UnknownRouteHandlers {
  /** Answers a browser that opens a page. */
  readonly showPage: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** Throws the ApiError of a request that may not continue. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

const isPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && !url.startsWith('/api/') && /\btext\/html\b/.test(headers.accept ?? '');

/** The base address answers with and without its last slash; no other path does. */
const withoutSlash = (path: string): string => (path === `${BASE_PATH}/` ? BASE_PATH : path);
