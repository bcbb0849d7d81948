import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toDetail, toKeyword, toSummary } from './summary.ts';

const bytes = (text: string) => Buffer.byteLength(text);

describe('texts for the Web UI', () => {
  test('a short one stays as it is, on one line', () => {
    assert.equal(toSummary('Suspended: no money\n  left'), 'Suspended: no money left');
  });

  for (const [what, unit] of Object.entries({ ASCII: 'a', Turkish: 'ş', Chinese: '网', emoji: '🚀' })) {
    test(`a long one in ${what} is cut between characters to 400 bytes at most`, () => {
      const cut = toSummary(unit.repeat(1_000));
      assert.ok(bytes(cut) <= 400 && bytes(cut) > 392, `${bytes(cut)} bytes`);
      assert.match(cut, new RegExp(`^(${unit})+…$`, 'u'));
      assert.ok(bytes(toDetail(unit.repeat(20_000))) <= 2_400);
    });
  }

  test('one of exactly 400 bytes is not cut, and half a surrogate pair harms nothing', () => {
    assert.equal(toSummary('b'.repeat(400)), 'b'.repeat(400));
    assert.equal(toSummary('a\ud83d'), 'a\ufffd');
  });

  test('an ending stays whole when the text before it is cut', () => {
    const cut = toSummary('ş'.repeat(1_000), '; next check 14:32');
    assert.ok(bytes(cut) <= 400 && cut.endsWith('…; next check 14:32'), cut);
  });

  test('a search attribute keeps 200 whole characters', () => {
    assert.equal(toKeyword('R-1'), 'R-1');
    assert.equal(toKeyword(`a${'🚀'.repeat(300)}`), `a${'🚀'.repeat(199)}`);
  });
});
