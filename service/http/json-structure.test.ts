import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonStructure } from './json-structure.ts';

/** Whether the text is accepted when it arrives in chunks of this size. */
function accepts(text: string, size = 7): boolean {
  const structure = new JsonStructure();
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) {
    if (!structure.accepts(bytes.subarray(start, start + size))) return false;
  }
  return true;
}

test('a valid body is accepted, whatever its strings contain and wherever chunks end', () => {
  const body = fc.record({
    project: fc.string(),
    service: fc.string(),
    urls: fc.array(fc.string(), { maxLength: 50 }),
  });
  fc.assert(
    fc.property(body, fc.integer({ min: 1, max: 50 }), (value, size) => {
      assert.ok(accepts(JSON.stringify(value), size));
    }),
  );
  assert.ok(accepts(JSON.stringify({ urls: ['\\"[[[[', '{{{{\\\\', ',,,,::::'.repeat(5_000)] })));
  assert.ok(accepts(JSON.stringify({ url: 'x', urls: Array.from({ length: 5_000 }, String), project: 'y' }), 4_096));
});

describe('texts with more structure than any valid body are refused', () => {
  for (const [name, text] of Object.entries({
    'brackets in brackets': '[[[1]]]',
    'objects in objects': '{"a":{"b":{"c":1}}}',
    'a list of 6,000': `[${'1,'.repeat(6_000)}1]`,
    '6,000 members': `{${'"a":1,'.repeat(6_000)}"a":1}`,
    'brackets without end': '['.repeat(3),
  })) {
    test(name, () => assert.ok(!accepts(text)));
  }
});
