import { type TSchema, Type } from 'typebox';
import { ERROR_CODES, type ErrorCode } from './errors.ts';

/** A wrong item of a request: which field, which place in a list (null: the field itself), and why. */
export const Problem = Type.Object(
  {
    field: Type.String({ description: 'Member of the body, query parameter or header.' }),
    index: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Place in the list, from 0.' }),
    reason: Type.String(),
  },
  { additionalProperties: false },
);
export type Problem = Type.Static<typeof Problem>;

/** At most this many wrong items are named in one answer. */
export const MAX_PROBLEMS = 100;

/** The success envelope of section 2.6 around a payload. */
export function Success<Data extends TSchema>(data: Data) {
  return Type.Object(
    {
      success: Type.Unsafe<true>({ type: 'boolean', const: true }),
      status: Type.Unsafe<'success'>({ type: 'string', const: 'success' }),
      message: Type.String({ description: 'For people.' }),
      data,
      request_id: Type.String({ description: 'Also in the X-Request-Id header.' }),
    },
    { additionalProperties: false },
  );
}

/** The error envelope of section 2.6. `details` is there when the request broke a rule (422). */
export function Failure(codes: readonly ErrorCode[]) {
  return Type.Object(
    {
      success: Type.Unsafe<false>({ type: 'boolean', const: false }),
      status: Type.Unsafe<'error'>({ type: 'string', const: 'error' }),
      message: Type.String({ description: 'For people.' }),
      data: Type.Null(),
      error: Type.Object(
        {
          code: Type.Unsafe<ErrorCode>({
            type: 'string',
            enum: codes,
            description: codes.map((code) => `${code}: ${ERROR_CODES[code].meaning}`).join(' '),
          }),
          message: Type.String(),
          details: Type.Optional(Type.Array(Problem, { maxItems: MAX_PROBLEMS })),
        },
        { additionalProperties: false },
      ),
      request_id: Type.String({ description: 'Also in the X-Request-Id header.' }),
    },
    { additionalProperties: false },
  );
}
export type Failure = Type.Static<ReturnType<typeof Failure>>;
