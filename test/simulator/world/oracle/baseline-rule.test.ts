import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BaselineRule } from './baseline-rule.ts';
import { Listings } from './listings.ts';
import { makePurchase, makeSent, toXml } from './test-facts.ts';

const A = 'https://www.shop.example/a';
const B = 'https://www.shop.example/b';
const whole = { isWhole: true, at: 0, run: null, watch: 'w0' };

describe('a baseline', () => {
  test('adopts what was there: it is bought when it changes, and what is new at once', () => {
    const found: string[] = [];
    const listings = new Listings();
    const rule = new BaselineRule(
      (text) => found.push(text),
      listings,
      () => false,
    );
    const buy = (url: string) => rule.purchased(makePurchase('R-1', [url], makeSent(listings.order)));
    listings.deliver('w0', '/w0.xml', toXml({ [A]: '2026-01-01' }), whole);
    listings.deliver('w0', '/w0.xml', toXml({ [A]: '2026-01-01', [B]: '2026-01-01' }), whole);
    buy(B);
    assert.deepEqual(found, []);
    buy(A);
    assert.equal(found.length, 1);
    listings.deliver('w0', '/w0.xml', toXml({ [A]: '2026-01-02', [B]: '2026-01-01' }), whole);
    buy(A);
    assert.equal(found.length, 1);
    assert.ok(rule.isAdopted('w0', A, '2026-01-01'));
    assert.ok(!rule.isAdopted('w0', A, '2026-01-02'));
    assert.ok(!rule.isAdopted('w0', B, '2026-01-01'));
  });

  test('adopts no page that has failed elsewhere: the watch that lists it now retries it', () => {
    const found: string[] = [];
    const listings = new Listings();
    const rule = new BaselineRule(
      (text) => found.push(text),
      listings,
      (url) => url === A,
    );
    listings.deliver('w0', '/w0.xml', toXml({ [A]: '2026-01-01', [B]: '2026-01-01' }), whole);
    for (const url of [A, B]) rule.purchased(makePurchase('R-1', [url], makeSent(listings.order)));
    assert.equal(found.length, 1);
    assert.match(found[0]!, /\/b was bought/);
  });
});
