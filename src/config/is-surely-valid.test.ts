import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parse } from 'yaml';
import { isSurelyValid } from './is-surely-valid.ts';
import { ConfigSchema } from './schema.ts';

const SCHEMA = { ...ConfigSchema };
const isValid = new Ajv2020({ strict: false }).compile(SCHEMA);
const example: unknown = parse(readFileSync(new URL('../../config/courier.example.yaml', import.meta.url), 'utf8'));

/** Every place in a tree, as the keys that lead to it. */
function listPaths(tree: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof tree !== 'object' || tree === null) return [path];
  return [path, ...Object.entries(tree).flatMap(([key, value]) => listPaths(value, [...path, key]))];
}

function replace(tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = structuredClone(tree) as Record<string, unknown>;
  const next = replace(copy[key], rest, value);
  if (next === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = next ?? null;
  return copy;
}

/** Values of every type, and words that settings have. */
const anyValue = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    '',
    'fast',
    '0.25 TRY',
    '90d',
    'https://shop.example/s.xml',
    'a b',
    [],
    {},
    -1,
  ),
  fc.constantFrom(
    { env: 'COURIER_API_KEY' },
    { file: 'key' },
    ['x'],
    [{}],
    1.5,
    1e300,
    { unknown: 1 },
    '😀'.repeat(200),
  ),
  fc.integer({ min: -2, max: 5_000 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
);

const paths = listPaths(example);

test('the example is surely valid, so it needs no validator', () => {
  assert.equal(isSurelyValid(SCHEMA, example), true);
});

test('a configuration with settings replaced at random is surely valid exactly when ajv accepts it', () => {
  const verdicts = { valid: 0, invalid: 0 };
  const change = fc.tuple(fc.constantFrom(...paths), anyValue);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
      const changed = changes.reduce((tree, [path, value]) => {
        // The second change may be of a place that the first has replaced.
        const parent = path.slice(0, -1).reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], tree);
        return path.length > 0 && (typeof parent !== 'object' || parent === null) ? tree : replace(tree, path, value);
      }, example);
      const valid = isValid(changed);
      verdicts[valid ? 'valid' : 'invalid'] += 1;
      assert.equal(isSurelyValid(SCHEMA, changed), valid);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(verdicts.valid > 50 && verdicts.invalid > 50, JSON.stringify(verdicts));
});

describe('keywords', () => {
  const rules: readonly (readonly [Record<string, unknown>, readonly unknown[]])[] = [
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['a', 'ab', '😀', '😀😀', '😀😀😀', 'abcd', 1]],
    [{ type: 'integer', minimum: 1, maximum: 3 }, [0, 1, 3, 4, 1.5, '1', Number.NaN]],
    [{ type: 'number', minimum: 0.5 }, [0.4, 0.5, null]],
    [{ enum: ['a', 1, null] }, ['a', 1, null, 'b', undefined]],
    [{ const: 1 }, [1, '1', true]],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 1 }, [[], [true], [true, 1], {}, null]],
    [{ anyOf: [{ type: 'null' }, { pattern: '^\\p{L}+$' }] }, [null, 'çay', 'ç1', 3]],
    [{ type: 'object', required: ['a'], properties: { a: { type: 'null' } } }, [{}, { a: null }, { a: 1 }, [], null]],
    [
      { patternProperties: { '^x': { type: 'null' } }, additionalProperties: false },
      [{ x: null }, { x: 1 }, { y: null }],
    ],
    [{ properties: { a: {} }, additionalProperties: { type: 'null' } }, [{ a: 1 }, { b: 1 }, { b: null }]],
    [{ properties: { a: {} }, additionalProperties: false }, [JSON.parse('{"__proto__": 1}'), { toString: 1 }]],
  ];
  for (const [schema, values] of rules) {
    test(`${Object.keys(schema).join(', ')} are as ajv has them`, () => {
      const validate = new Ajv2020({ strict: false }).compile(schema);
      for (const value of values) assert.equal(isSurelyValid(schema, value), validate(value), JSON.stringify(value));
    });
  }

  test('one that is not known makes nothing surely valid', () => {
    assert.equal(isSurelyValid({ type: 'string', format: 'uri' }, 'https://shop.example/'), false);
    assert.equal(isSurelyValid({ type: ['string', 'null'] }, 'a'), false);
  });
});
