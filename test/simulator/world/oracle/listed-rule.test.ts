import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ListedRule } from './listed-rule.ts';
import { Listings } from './listings.ts';
import { makePurchase, makeSent, toXml } from './test-facts.ts';

const A = 'https://www.shop.example/a';
const whole = { isWhole: true, at: 0, run: null, watch: null };

function createRule() {
  const found: string[] = [];
  const listings = new Listings();
  const rule = new ListedRule((text) => found.push(text), listings);
  const list = (pages: Record<string, null>, sitemap = 'w0', by: { run?: string; watch?: string } = {}) =>
    listings.deliver(sitemap, `/${sitemap}.xml`, toXml(pages), { ...whole, ...by });
  const buy = (isRunComplete: boolean, order = listings.order) =>
    rule.purchased(
      makePurchase(
        'R-1',
        [A],
        makeSent(order, { label: { run: 'r', isHeld: false, isRunComplete, plannedAfter: order } }),
      ),
    );
  return { found, list, buy };
}

describe('a watch buys what its sitemaps list', () => {
  test('a page that it lists when it is planned, also when it is gone before it is sent', () => {
    const { list, buy, found } = createRule();
    const { order } = list({ [A]: null });
    list({});
    buy(true, order);
    assert.deepEqual(found, []);
  });

  test('not a page that is gone, once a complete run has seen that', () => {
    const { list, buy, found } = createRule();
    list({ [A]: null });
    list({});
    buy(false);
    assert.deepEqual(found, []);
    buy(true);
    assert.match(found[0] ?? '', /was gone/);
  });

  test('what a run was shown that waits, though the watch had another name meanwhile and saw the page gone', () => {
    const { list, buy, found } = createRule();
    list({ [A]: null }, 'w0', { run: 'r', watch: 'w0' });
    list({}, 'w0', { run: 'other', watch: 'w0x' });
    buy(true);
    assert.deepEqual(found, []);
    list({}, 'w0', { run: 'r', watch: 'w0' });
    buy(true);
    assert.match(found[0] ?? '', /was gone/);
  });

  test('not a page that only another sitemap lists', () => {
    const { list, buy, found } = createRule();
    list({}, 'w0');
    list({ [A]: null }, 'w1');
    buy(true);
    assert.match(found[0] ?? '', /no sitemap of w0/);
  });
});
