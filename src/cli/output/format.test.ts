import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros, ZERO } from '../../../contract/money.ts';
import { formatInstant } from '../../submission/instant.ts';
import { formatAmount, formatCharge, formatCounted, formatDuration } from './format.ts';

describe('human-readable output', () => {
  test('a time is shown to the minute, in UTC', () => {
    assert.equal(formatInstant(Date.UTC(2026, 0, 2, 3, 4, 59)), '2026-01-02 03:04 UTC');
  });

  test('a count has thousands separators and the right plural', () => {
    assert.deepEqual([formatCounted(1, 'batch', 'batches'), formatCounted(12_345, 'URL')], ['1 batch', '12,345 URLs']);
  });

  test('a duration below two minutes is in seconds', () => {
    assert.deepEqual([formatDuration(1_200), formatDuration(900_000)], ['2 s', '15 minutes']);
  });

  test('an unknown amount is never shown as 0.00', () => {
    assert.equal(formatAmount(null), 'not known yet');
    assert.equal(formatCharge({ charged: ZERO, unknownChargeUrls: 1 }), 'an unknown charge for 1 URL');
    assert.equal(
      formatCharge({ charged: micros(250_000), unknownChargeUrls: 2 }),
      '0.25 TRY and an unknown charge for 2 URLs',
    );
    assert.equal(formatCharge({ charged: ZERO, unknownChargeUrls: 0 }), '0.00 TRY');
  });
});
