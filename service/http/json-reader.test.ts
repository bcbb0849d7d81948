import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type JsonOutcome, JsonReader, type JsonReaderLimits } from './json-reader.ts';

const WIDE = { outsideBytes: 1_000_000, itemBytes: 1_000_000 };

function readInChunks(text: string | Buffer, size: number, limits: JsonReaderLimits): JsonOutcome {
  const bytes = Buffer.from(text);
  const reader = new JsonReader(limits);
  for (let start = 0; start < bytes.length; start += size) {
    if (!reader.read(bytes.subarray(start, start + size))) break;
  }
  return reader.end();
}

function parseWhole(text: string): JsonOutcome {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch {
    return { kind: 'invalid' };
  }
}

const item = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null), fc.boolean());
const member = fc.tuple(
  fc.oneof(fc.constantFrom('urls', 'url', '__proto__', 'constructor', '0'), fc.string()),
  fc.oneof(item, fc.array(item, { maxLength: 30 })),
);
/** As clients may write it: members may repeat, with white space between everything. */
const text = fc
  .tuple(fc.array(member, { maxLength: 5 }), fc.constantFrom('', ' ', '\n\t '), fc.boolean())
  .map(([members, space, asList]) => {
    const values = members.map(([name, value]) => {
      const written = Array.isArray(value)
        ? `[${space}${value.map((each) => JSON.stringify(each)).join(`${space},${space}`)}${space}]`
        : JSON.stringify(value);
      return asList ? written : `${JSON.stringify(name)}${space}:${space}${written}`;
    });
    const joined = values.join(`${space},${space}`);
    return asList ? `${space}[${joined}]${space}` : `${space}{${joined}}${space}`;
  });
const sizes = fc.record({ chunk: fc.integer({ min: 1, max: 40 }), partBytes: fc.integer({ min: 1, max: 40 }) });

describe('a JSON text that is read in parts', () => {
  test('has the value that JSON.parse gives, wherever chunks and parts end', () => {
    fc.assert(
      fc.property(text, sizes, (written, { chunk, partBytes }) => {
        assert.deepEqual(readInChunks(written, chunk, { partBytes, ...WIDE }), parseWhole(written));
      }),
      { numRuns: 1_000 },
    );
  });

  test('is JSON exactly where JSON.parse says so, after any character is lost, doubled or exchanged', () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom('', ',', '[', ']', '}', '"', ' ', ',,', '1', '\\'));
    fc.assert(
      fc.property(text, damage, sizes, (written, [place, other], { chunk, partBytes }) => {
        const at = place % (written.length + 1);
        const damaged = (written.slice(0, at) + other + written.slice(at + 1)).toWellFormed();
        const outcome = readInChunks(damaged, chunk, { partBytes, ...WIDE });
        // Deeper than any body: judged by its structure, before it is parsed.
        if (outcome.kind !== 'unacceptable') assert.deepEqual(outcome, parseWhole(damaged));
      }),
      { numRuns: 3_000 },
    );
  });

  test('that is not UTF-8, or ends within a character, is no JSON', () => {
    const wrong = Buffer.concat([Buffer.from('{"urls":["a","b'), Buffer.from([0xc3, 0x28]), Buffer.from('"]}')]);
    for (const partBytes of [1, 1_000]) {
      assert.equal(readInChunks(wrong, 3, { partBytes, ...WIDE }).kind, 'invalid');
      assert.equal(readInChunks(Buffer.from('{"urls":["ü').subarray(0, -1), 3, { partBytes, ...WIDE }).kind, 'invalid');
      assert.equal(readInChunks('\ufeff{"urls":["a","b"]}', 3, { partBytes, ...WIDE }).kind, 'invalid');
    }
  });

  test('is unacceptable when it is large outside of its first large list, or in one item', () => {
    const limits = { partBytes: 20, outsideBytes: 100, itemBytes: 50 };
    const urls = Array.from({ length: 50 }, (_, index) => `https://a.example/${index}`);
    const read = (value: object) => readInChunks(JSON.stringify(value), 16, limits).kind;
    assert.equal(read({ urls }), 'value');
    assert.equal(read({ project: 'x'.repeat(50), urls, service: 'fast' }), 'value');
    assert.equal(read({ project: 'x'.repeat(200), urls }), 'unacceptable');
    assert.equal(read({ urls, more: urls }), 'unacceptable');
    assert.equal(read({ urls: [...urls, 'x'.repeat(200)] }), 'unacceptable');
    assert.equal(read(urls), 'unacceptable');
  });
});
