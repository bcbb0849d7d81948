import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Block } from './block.ts';
import { findMarkup, findQuote, findSectionEnd, Piece } from './piece.ts';

/** Bytes of few values, so that pieces repeat: with `<`, its neighbours, and what borrows from a byte beside it. */
const bytes = fc
  .array(fc.constantFrom(0x3c, 0x3b, 0x3d, 0xbc, 0x00, 0x01, 0x80, 0xff, 0x61), { maxLength: 40 })
  .map((values) => Buffer.from(values));

describe('bytes of a block', () => {
  test('the next "<" is found wherever it is, from every index', () => {
    fc.assert(
      fc.property(bytes, fc.nat(40), (document, from) => {
        const block = new Block(document);
        const start = Math.min(from, document.length);
        const found = document.indexOf(0x3c, start);
        const isThere = found !== -1 && start < document.length;
        assert.equal(findMarkup(block, start), isThere ? found : document.length);
      }),
      { numRuns: 5_000 },
    );
  });

  test('the end of a value and of a section are found wherever they are, from every index', () => {
    const marks = fc
      .array(fc.constantFrom(0x22, 0x3c, 0x3e, 0x5d, 0x5d, 0x3d, 0xa2, 0xbc, 0xdd, 0x00, 0x80, 0x61, 0x61, 0x61), {
        maxLength: 40,
      })
      .map((values) => Buffer.from(values));
    fc.assert(
      fc.property(marks, fc.nat(40), (document, from) => {
        const block = new Block(document);
        const start = Math.min(from, document.length);
        const text = document.toString('latin1');
        const value = /^[^"<>]*"/.exec(text.slice(start));
        assert.equal(findQuote(block, start), value === null ? -1 : start + value[0].length - 1);
        assert.equal(findSectionEnd(block, start), text.indexOf(']]>', start));
      }),
      { numRuns: 10_000 },
    );
  });

  test('a piece is where its bytes are, and nowhere else', () => {
    fc.assert(
      fc.property(bytes, fc.nat(40), fc.nat(40), fc.nat(40), (document, a, b, at) => {
        const [from = 0, to = 0] = [Math.min(a, document.length), Math.min(b, document.length)].sort((x, y) => x - y);
        const block = new Block(document);
        const isThere = document.subarray(at, at + to - from).equals(document.subarray(from, to));
        assert.equal(new Piece(block, from, to).isAt(block, at), isThere && at + to - from <= document.length);
        assert.equal(new Piece(block, from, to).isAt(block, from), true);
      }),
      { numRuns: 5_000 },
    );
  });
});
