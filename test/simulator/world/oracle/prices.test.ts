import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PRICE_NOTICED_MS, Prices } from './prices.ts';

describe('the prices of an account', () => {
  test('a charge at a price that has just risen was expected at the price before', () => {
    const prices = new Prices(10);
    prices.change(30, 1_000);
    assert.equal(prices.getExpected(120, 4, 1_000 + PRICE_NOTICED_MS), 40);
    assert.ok(prices.mayMissRise(1_000 + PRICE_NOTICED_MS));
  });

  test('after an hour it was expected as it is', () => {
    const prices = new Prices(10);
    prices.change(30, 1_000);
    assert.equal(prices.getExpected(120, 4, 1_001 + PRICE_NOTICED_MS), 120);
    assert.ok(!prices.mayMissRise(1_001 + PRICE_NOTICED_MS));
  });

  test('after an hour it may be the price before, where it was asked for and could not be read', () => {
    const prices = new Prices(10);
    prices.shown(0);
    prices.change(30, 1_000);
    const at = 1_001 + 2 * PRICE_NOTICED_MS;
    assert.equal(prices.getExpected(120, 4, at), 120, 'nobody asked');
    prices.asked(at - 1);
    assert.equal(prices.getExpected(120, 4, at), 40);
    assert.equal(prices.getExpected(120, 4, at + PRICE_NOTICED_MS), 120, 'and not again for an hour');
    prices.shown(at);
    assert.equal(prices.getExpected(120, 4, at), 120);
  });

  test('of several changes within the hour the lowest price counts, and none of earlier ones', () => {
    const prices = new Prices(1);
    prices.change(20, 0);
    prices.change(10, PRICE_NOTICED_MS);
    prices.change(30, PRICE_NOTICED_MS + 1);
    assert.equal(prices.getExpected(60, 2, PRICE_NOTICED_MS + 2), 20);
    assert.equal(prices.getExpected(60, 2, PRICE_NOTICED_MS - 1), 2);
  });

  test('what costs as much as before, or falls, is what was charged', () => {
    const prices = new Prices(10);
    prices.change(5, 1_000);
    assert.equal(prices.getExpected(20, 2, 1_000), 20);
  });
});
