import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toMoment, toVersion } from './moments.ts';

describe('the version that a lastmod names', () => {
  test('is its moment in any format', () => {
    const same = [
      '2026-03-01T10:00:00Z',
      '2026-03-01T13:00:00+03:00',
      '2026-03-01T10:00:00.000Z',
      '2026-03-01T10:00:00',
    ];
    assert.equal(new Set(same.map(toVersion)).size, 1);
    assert.notEqual(toVersion('2026-03-01T10:00:01Z'), toVersion(same[0]!));
    assert.equal(toVersion('2026-03-01'), toVersion('2026-03-01T00:00:00Z'));
  });

  test('is the text where that is no date, and null where there is none', () => {
    assert.equal(toVersion('yesterday'), 'yesterday');
    assert.equal(toVersion(null), null);
    assert.equal(toMoment('yesterday'), null);
    assert.equal(toMoment(toVersion('1970-01-01T00:00:01Z')), 1_000);
  });
});
