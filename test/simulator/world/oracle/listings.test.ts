import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Listings } from './listings.ts';
import { toVersion } from './moments.ts';
import { toXml } from './test-facts.ts';

const A = 'https://www.shop.example/a';
const B = 'https://www.shop.example/b';
const whole = { isWhole: true, at: 0, run: null, watch: null };

describe('what crawls were given', () => {
  test('is of each file what it said last, by then', () => {
    const listings = new Listings();
    listings.deliver('w0', '/w0.xml', toXml({ [A]: '2026-01-01', [B]: null }), whole);
    listings.deliver('w0', '/w0-2.xml', toXml({}), whole);
    const { order } = listings;
    listings.deliver('w0', '/w0.xml', toXml({ [B]: null }), whole);
    listings.deliver('w0', '/w0-2.xml', toXml({ [A]: '2026-01-02' }), { ...whole, at: 50 });
    assert.deepEqual([...listings.find('w0', A, order).versions], [toVersion('2026-01-01')]);
    assert.deepEqual([...listings.find('w0', A, listings.order).versions], [toVersion('2026-01-02')]);
    assert.equal(
      listings.find('w0', A, listings.order, 49).isListed,
      false,
      'gone from one file, not yet in the other',
    );
    assert.equal(listings.find('w1', A, listings.order).isListed, false);
  });

  test('a part of a file adds to the whole one before it', () => {
    const listings = new Listings();
    listings.deliver('w0', '/w0.xml', toXml({ [A]: '2026-01-01', [B]: null }), whole);
    const half = toXml({ [A]: '2026-01-02', [B]: '2026-01-02' });
    listings.deliver('w0', '/w0.xml', half.slice(0, half.indexOf('</url>') + 6), { ...whole, isWhole: false, at: 1 });
    const versions = (url: string) => [...listings.find('w0', url, listings.order).versions];
    assert.deepEqual(versions(A), [toVersion('2026-01-02'), toVersion('2026-01-01')]);
    assert.deepEqual(versions(B), [null]);
  });

  test('has no date that lies more than a day ahead of the clock which read it', () => {
    const listings = new Listings();
    const body = toXml({ [A]: '2026-01-03', [B]: '2026-01-02' });
    const clock = Date.UTC(2026, 0, 1);
    listings.deliver('w0', '/w0.xml', body, { ...whole, clock });
    const versions = (url: string) => [...listings.find('w0', url, listings.order).versions];
    assert.deepEqual([versions(A), versions(B)], [[null], [toVersion('2026-01-02')]]);
    listings.deliver('w0', '/w0.xml', body, { ...whole, clock: clock + 86_400_000 });
    assert.deepEqual(versions(A), [toVersion('2026-01-03')]);
    assert.equal(listings.getFirst('w0', A), null);
  });

  test('the first version of a page in a sitemap is kept, and the first with a date', () => {
    const listings = new Listings();
    for (const lastmod of [null, '2026-01-02', '2026-01-03'])
      listings.deliver('w0', '/w0.xml', toXml({ [A]: lastmod }), whole);
    assert.equal(listings.getFirst('w0', A), null);
    assert.equal(listings.getFirstDated('w0', A), toVersion('2026-01-02'));
    assert.equal(listings.getFirst('w1', A), undefined);
  });
});
