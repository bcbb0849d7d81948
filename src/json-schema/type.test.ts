import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import TypeBox from 'typebox';
import { Type } from './type.ts';

/** The same schema from each builder. */
const SCHEMAS = {
  texts: (type: typeof Type) => type.Array(type.String({ minLength: 1, pattern: '^a' }), { description: 'd' }),
  numbers: (type: typeof Type) =>
    type.Union([type.Number({ minimum: 1 }), type.Integer(), type.Null()], { title: 't' }),
  literals: (type: typeof Type) =>
    type.Union([type.Literal('x'), type.Literal(1, { description: 'd' }), type.Literal(true)]),
  choice: (type: typeof Type) => type.Enum(['a', 'b'], { default: 'a' }),
  unsafe: (type: typeof Type) => type.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
  'any names': (type: typeof Type) => type.Record(type.String(), type.Boolean()),
  'names of a form': (type: typeof Type) =>
    type.Record(type.String({ pattern: '^[a-z]+$' }), type.Boolean({ default: true }), { description: 'd' }),
  'no property': (type: typeof Type) => type.Object({}),
  'optional properties only': (type: typeof Type) => type.Object({ a: type.Optional(type.String()) }),
  'properties made optional': (type: typeof Type) =>
    type.Partial(type.Object({ a: type.String(), b: type.Optional(type.Integer()) }, { title: 'whole' }), {
      title: 'part',
    }),
  'optional and required properties': (type: typeof Type) =>
    type.Object(
      {
        a: type.Optional(type.Object({ b: type.String() })),
        c: type.Integer(),
        d: type.Optional(type.Unsafe({ enum: [] })),
      },
      { additionalProperties: false, title: 't' },
    ),
};

describe('schemas are those of TypeBox', () => {
  for (const [name, build] of Object.entries(SCHEMAS)) {
    test(name, () => assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox))));
  }
});
