import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros } from '../../contract/money.ts';
import { formatPriceEffect, type PriceEffect } from './new-price.ts';

const PRICE: PriceEffect = {
  service: 'standard',
  before: micros(500_000),
  after: micros(1_000_000),
  since: Date.UTC(2026, 10, 22, 14, 10),
  configured: micros(500_000),
  urls: 41,
  cost: micros(41_000_000),
  costBefore: micros(20_500_000),
};

describe('formatPriceEffect', () => {
  test('says what it was, since when, what is configured, and what the next runs cost', () => {
    assert.equal(
      formatPriceEffect(PRICE),
      'standard: 1.00 TRY a URL since 2026-11-22 14:10 UTC, 0.50 TRY before; price_per_url is 0.50 TRY; ' +
        'the next runs cost about 41.00 TRY in place of 20.50 TRY',
    );
  });
  test('leaves out what is not set, and runs that buy nothing', () => {
    assert.equal(
      formatPriceEffect({ ...PRICE, configured: null, urls: 0 }),
      'standard: 1.00 TRY a URL since 2026-11-22 14:10 UTC, 0.50 TRY before',
    );
  });
});
