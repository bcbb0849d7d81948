import type { FastifyRequest } from 'fastify';
import { MAX_PROBLEMS, type Problem } from '../../contract/envelope.ts';
import { findWrongUrls } from '../submissions/url-rules.ts';
import { validationFailed } from './api-error.ts';
import { UnacceptableBody } from './json-body.ts';

/** One breach as Ajv reports it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Record<string, unknown>;
  readonly message?: string;
}

const REASONS: Partial<Record<string, (params: Record<string, unknown>) => string>> = {
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  required: ({ missingProperty }) => `${missingProperty} is missing`,
  additionalProperties: ({ additionalProperty }) =>
    `"${String(additionalProperty).slice(0, 40).toWellFormed()}" is not an allowed field`,
  minLength: ({ limit }) => `must have at least ${limit} characters`,
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must hold at least ${limit}`,
  maxItems: ({ limit }) => `must hold at most ${limit}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  format: ({ format }) => (format === 'date' ? 'must be a date as YYYY-MM-DD' : 'must be an absolute URL'),
  pattern: ({ pattern }) =>
    String(pattern).includes('Hh')
      ? 'must be an absolute HTTP(S) URL without white space, user name and password'
      : 'holds a character that is not allowed',
};

/** The breaches of a schema as the API names them: field, place in the list, reason. The first hundred. */
export function toProblems(errors: readonly SchemaError[], context = 'body'): Problem[] {
  if (errors.some(({ keyword }) => keyword === 'anyOf')) {
    return [{ field: 'urls', index: null, reason: 'is missing: send url or urls' }];
  }
  return errors.slice(0, MAX_PROBLEMS).map(({ instancePath, keyword, params, message }) => {
    const [field = context, index] = instancePath.split('/').slice(1);
    const reason = REASONS[keyword]?.(params) ?? message ?? 'is not valid';
    return { field, index: index === undefined ? null : Number(index), reason };
  });
}

/** Throws the 422 of a body whose form the schema refused, with every wrong URL of it. Call it first in a POST handler. */
export async function refuseInvalid({ validationError, body }: FastifyRequest, maxUrls: number): Promise<void> {
  if (body instanceof UnacceptableBody) throw validationFailed([{ field: 'body', index: null, reason: body.reason }]);
  if (validationError === undefined) return;
  const problems = toProblems((validationError.validation ?? []) as unknown as SchemaError[]);
  const { urls } = (body ?? {}) as { urls?: unknown };
  const isReadable = Array.isArray(urls) && urls.length <= maxUrls;
  const wrong = isReadable ? await findWrongUrls(urls) : [];
  throw validationFailed([...problems, ...wrong].slice(0, MAX_PROBLEMS));
}
