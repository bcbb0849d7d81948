import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freeChunk } from './free-chunk.ts';

describe('freeChunk', () => {
  for (const size of [Buffer.poolSize, 128 * 1024]) {
    test(`frees ${size} bytes of its own`, () => {
      const chunk = Buffer.allocUnsafeSlow(size);
      freeChunk(chunk);
      assert.equal(chunk.length, 0);
    });
  }

  test('frees what several chunks share with the last of them', () => {
    const all = Buffer.alloc(128 * 1024, 'x');
    freeChunk(all.subarray(0, 100));
    assert.equal(all.length, 128 * 1024);
    freeChunk(all.subarray(100));
    assert.equal(all.length, 0);
  });

  test('leaves alone what Node shares among small buffers', () => {
    const chunks = Array.from({ length: 1_000 }, () => Buffer.from('x'.repeat(1_000)));
    for (const chunk of chunks) freeChunk(chunk);
    assert.ok(chunks.every(({ length }) => length === 1_000));
  });
});
