import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { budgetHeader, IDEMPOTENCY_KEY_PATTERN, WINDOW_NAMES } from '../../contract/headers.ts';
import { DEFAULT_PROJECT } from '../../contract/limits.ts';
import { RESPONSE_EXAMPLES } from '../../contract/response-examples.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import { BASE_PATH, CONTRACT_VERSION } from '../../contract/version.ts';
import type { ServiceSettings } from '../settings.ts';
import { ApiError, validationFailed } from './api-error.ts';
import { failure } from './envelope.ts';

type Json = Record<string, unknown>;
interface Operation extends Json {
  operationId: string;
  parameters?: Json[];
  security?: Json[];
  requestBody?: { content: Record<string, { schema: Json & { properties?: BodyProperties } }> };
  responses: Record<string, { headers?: Json; links?: Json; content?: Record<string, Described> }>;
}

interface Described {
  readonly schema?: {
    readonly properties?: {
      readonly error?: { readonly properties?: { readonly code?: { readonly enum?: readonly ErrorCode[] } } };
    };
  };
  example?: object;
  examples?: Record<string, object>;
}

/** Errors whose answer says more than their code. */
const ERROR_EXAMPLES: Partial<Record<ErrorCode, ApiError>> = {
  validation_failed: validationFailed([
    { field: 'urls', index: 1, reason: 'is the same URL as the one at index 0' },
    { field: 'project', index: null, reason: 'must have 2 to 120 characters' },
  ]),
};

/**
 * Serves the contract (spec 9), made from the very schemas that validate and serialise; headers and links, which
 * routes do not have, are added here. Call it before the routes are added; the function that it returns makes the
 * document once they are.
 */
export async function describeContract(
  api: FastifyInstance,
  { defaultService, pathPrefix }: ServiceSettings,
): Promise<() => object> {
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Queued URL Submission Service',
        version: CONTRACT_VERSION,
        description:
          'Submit URLs for queued processing against a prepaid balance. Requests are judged in this order: 401, 429, ' +
          '415, 413, 400, 422, then 409 or the replay, 402, 202. ' +
          `A submission that names no service is ${defaultService} here: send it always.`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: pathPrefix + BASE_PATH, description: 'This server.' }],
      tags: [
        { name: 'Service', description: 'Version and availability.' },
        { name: 'Account', description: 'Balance, statistics and the key in use.' },
        { name: 'Submissions', description: 'Queued submissions and their URLs.' },
        { name: 'Index-check', description: 'Looks for URLs in current search results (beta).' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer API_KEY' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    },
  });
  let contract: Contract | undefined;
  const getContract = () => {
    contract ??= complete(api.swagger() as unknown as Contract, defaultService);
    return contract;
  };
  api.get('/openapi.json', { schema: { hide: true } }, async () => getContract());
  return getContract;
}

interface Contract extends Json {
  paths: Record<string, Record<string, Operation>>;
}

/** Adds what the routes cannot say. Their paths are relative to the base address already: it is the server's URL. */
function complete(document: Contract, defaultService: ServiceLevel): Contract {
  for (const methods of Object.values(document.paths)) {
    delete methods.head;
    for (const [method, operation] of Object.entries(methods)) {
      const isPublic = operation.operationId === 'getServiceInfo';
      if (isPublic) operation.security = [];
      declareDefaults(operation, defaultService);
      requireUrls(operation);
      if (method === 'post') operation.parameters = [...(operation.parameters ?? []), idempotencyKey];
      for (const [status, response] of Object.entries(operation.responses)) {
        response.headers = describeHeaders(operation.operationId, Number(status), isPublic);
        addExample(operation.operationId, status, response);
        if (operation.operationId === 'createSubmission' && Number(status) < 300) {
          response.links = {
            detail: {
              operationId: 'getSubmission',
              parameters: { reference: '$response.body#/data/reference' },
              description: 'The accepted submission.',
            },
          };
        }
      }
    }
  }
  return document;
}

interface BodyProperties {
  readonly project?: Json;
  readonly service?: Json;
}

/** Defaults are not part of the schemas, which validate what was sent: the service applies them afterwards. */
function declareDefaults({ requestBody }: Operation, defaultService: ServiceLevel): void {
  const properties: BodyProperties = requestBody?.content['application/json']?.schema.properties ?? {};
  if (properties.project !== undefined) properties.project.default = DEFAULT_PROJECT;
  if (properties.service !== undefined) properties.service.default = defaultService;
}

/**
 * `anyOf` of required members makes generators of clients type the whole body as unknown; said with `if`, validators
 * read the same rule and generators the members.
 */
function requireUrls({ requestBody }: Operation): void {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema?.anyOf === undefined) return;
  delete schema.anyOf;
  schema.if = { not: { properties: { url: {} }, additionalProperties: true, required: ['url'] } };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  schema.then = { properties: { urls: {} }, additionalProperties: true, required: ['urls'] };
}

function addExample(operationId: string, status: string, { content }: Operation['responses'][string]): void {
  const json = content?.['application/json'];
  if (json === undefined) return;
  const data = RESPONSE_EXAMPLES[operationId]?.[status];
  const request_id = 'req_0198f2b4-7c1e-4b7a-9a53-3f0f3f6f1c11';
  if (data !== undefined) {
    json.example = { success: true, status: 'success', message: 'Text for people.', data, request_id };
    return;
  }
  json.examples = Object.fromEntries(
    (json.schema?.properties?.error?.properties?.code?.enum ?? []).map((code) => [
      code,
      { summary: ERROR_CODES[code].meaning, value: failure(request_id, ERROR_EXAMPLES[code] ?? new ApiError(code)) },
    ]),
  );
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'One key per request; the same body with the same key is charged once.',
  schema: { type: 'string', minLength: 8, maxLength: 100, pattern: IDEMPOTENCY_KEY_PATTERN },
};

const header = (description: string, type: 'string' | 'integer' = 'string') => ({ description, schema: { type } });

function describeHeaders(operationId: string, status: number, isPublic: boolean): Json {
  const headers: Json = { 'X-Request-Id': header('request_id of the body.') };
  if (status === 401) headers['WWW-Authenticate'] = header('Bearer.');
  if (status === 429 || status === 503) headers['Retry-After'] = header('Seconds.', 'integer');
  if (status === 405) headers.Allow = header('The methods of the path.');
  if (status === 409) headers['Retry-After'] = header('Seconds; with request_in_progress only.', 'integer');
  if (operationId === 'createSubmission' && status < 300) headers.Location = header('Path of the submission.');
  if (status === 200 && ['createSubmission', 'checkIndex'].includes(operationId)) {
    headers['Idempotent-Replayed'] = header('true when an earlier request with this key is answered again.');
  }
  // A path that does not exist belongs to no key; a submission that does not exist was asked for with one.
  const beforeKey = [401, 405, 408, 431].includes(status) || (status === 404 && operationId !== 'getSubmission');
  if (isPublic || beforeKey) return headers;
  for (const name of WINDOW_NAMES) {
    if (name === 'submissions' && operationId !== 'createSubmission') continue;
    headers[titled(budgetHeader('limit', name))] = header('Requests allowed in the window.', 'integer');
    headers[titled(budgetHeader('remaining', name))] = header('Requests left in the window.', 'integer');
    headers[titled(budgetHeader('reset', name))] = header('Seconds until the budget grows.', 'integer');
  }
  headers.RateLimit = header('The same, as the IETF field.');
  headers['RateLimit-Policy'] = header('The windows, as the IETF field.');
  return headers;
}

const titled = (name: string): string =>
  name
    .replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
    .replace('Ratelimit', 'RateLimit');
