import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { HEADERS } from '../../contract/headers.ts';
import { BASE_PATH } from '../../contract/version.ts';
import { ApiError } from './api-error.ts';
import { admit, requireApiKey } from './authentication.ts';
import { limitConnectionsPerAddress, MOST_PER_ADDRESS, toExempt } from './connections-per-address.ts';
import type { Context } from './context.ts';
import { readBrand } from './dashboard/brand.ts';
import { dashboard } from './dashboard/dashboard.ts';
import { notFoundPage } from './dashboard/not-found.ts';
import { failure } from './envelope.ts';
import { toApiError } from './error-mapping.ts';
import { healthRoutes } from './health.ts';
import { readJsonBodies } from './json-body.ts';
import { answerMalformedRequest, handleMalformedRequests, newRequestId } from './malformed-requests.ts';
import { describeContract } from './openapi.ts';
import { addPathPrefix } from './path-prefix.ts';
import { carryOutInTurn } from './pipelining.ts';
import { accountRoutes } from './routes/account.ts';
import { indexCheckRoute } from './routes/index-check.ts';
import { infoRoute } from './routes/info.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { securityHeaders } from './security-headers.ts';
import { endSlowClients, TIMEOUTS } from './slow-clients.ts';
import { reloadCertificates, toTlsOptions } from './tls.ts';
import { answerUnknownRoutes } from './unknown-routes.ts';
import { compileValidator } from './validator.ts';

/** The limit of bodies without their own limit: forms of the dashboard. */
const SMALL_BODY_BYTES = 512 * 1024;
const MAX_CONNECTIONS = 2_000;
/** Of a User-Agent in the log. */
const MAX_AGENT = 200;
/** Labels of metrics; a client may invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The HTTP server: the API under its base, the dashboard at the root, health outside of both. */
export async function buildApp(
  context: Context,
  logger: NonNullable<FastifyServerOptions['logger']> | false,
): Promise<FastifyInstance> {
  const { settings, metrics } = context;
  const setHeaders = securityHeaders(settings.https);
  const http = {
    headersTimeout: TIMEOUTS.headersMs,
    connectionsCheckingInterval: TIMEOUTS.checkEveryMs,
    // Node's own answer to a request without Host has no envelope.
    requireHostHeader: false,
  };
  const app = Fastify({
    logger,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: SMALL_BODY_BYTES,
    requestTimeout: TIMEOUTS.requestMs,
    keepAliveTimeout: TIMEOUTS.keepAliveMs,
    ...(settings.tls === null ? { http } : { https: { ...http, ...toTlsOptions(settings.tls) } }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    clientErrorHandler: (error, socket) => answerMalformedRequest(error, socket),
    frameworkErrors: (error, request, reply) => void answerUnroutable(error, request, reply),
  } as FastifyServerOptions) as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  limitConnectionsPerAddress(app.server, { most: MOST_PER_ADDRESS, exempt: toExempt(settings.trustedProxies) });
  carryOutInTurn(app.server);
  handleMalformedRequests(app.server);
  app.setValidatorCompiler(compileValidator);

  function sendError(error: unknown, requestId: string, reply: FastifyReply) {
    const answer = toApiError(error);
    metrics.refused(answer.code);
    if (answer.statusCode >= 500) app.log.error({ err: answer.cause, requestId, code: answer.code }, 'request failed');
    if (answer.retryAfterSeconds !== undefined) reply.header(HEADERS.retryAfter, String(answer.retryAfterSeconds));
    reply.header(HEADERS.requestId, requestId);
    return reply.status(answer.statusCode).type('application/json; charset=utf-8').send(failure(requestId, answer));
  }

  /** A path that is not correctly percent-encoded has no route, so no hook: it is judged in the same order here. */
  async function answerUnroutable(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    setHeaders(reply);
    const refusal = request.url.startsWith(`${BASE_PATH}/`)
      ? await admit(context, request, reply).then(
          () => error,
          (denied: unknown) => denied,
        )
      : error;
    sendError(refusal, request.id, reply);
  }

  app.addHook('onRequest', async (request, reply) => {
    setHeaders(reply);
    reply.header(HEADERS.requestId, request.id);
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new ApiError('invalid_request', 'The Host header is missing. Nothing was charged.');
    }
  });
  addPathPrefix(app, settings.pathPrefix);
  answerUnknownRoutes(app, {
    showPage: notFoundPage(settings.https),
    admit: (request, reply) => admit(context, request, reply),
  });
  endSlowClients(app);
  if (settings.tls !== null) {
    const stop = reloadCertificates(app.server, settings.tls, {
      onReload: () => app.log.info('the certificate was read again'),
      onError: (error) => app.log.error({ err: error }, 'the new certificate cannot be used; the old one stays'),
    });
    app.addHook('onClose', async () => stop());
  }
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    // Kept open, the connection would hold up the stop until it has been idle for a while.
    if (stopping) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, id, ip: address } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = request.routeOptions.url ?? 'none';
    metrics.request({ method: METHODS.has(method) ? method : 'other', route, status, seconds: elapsedTime / 1_000 });
    const path = url.split('?', 1)[0];
    const key = request.principal?.key.id;
    const agent = request.headers['user-agent']?.slice(0, MAX_AGENT);
    const ms = Math.round(elapsedTime);
    app.log.info({ requestId: id, method, path, status, ms, key, address, agent }, 'request');
  });
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request.id, reply));

  healthRoutes(app, context.health);
  let getContract = (): object => ({});
  await app.register(
    async (api) => {
      getContract = await describeContract(api, settings);
      infoRoute(api, context);
      await api.register(async (authenticated) => {
        requireApiKey(authenticated, context);
        readJsonBodies(authenticated, context.bodies);
        accountRoutes(authenticated, context);
        submissionRoutes(authenticated, context);
        indexCheckRoute(authenticated, context);
      });
    },
    { prefix: BASE_PATH },
  );
  app.decorate('brand', readBrand(settings.dashboard));
  await app.register(async (page) => dashboard(page, context, () => getContract()));
  await app.ready();
  return app;
}
