import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { GuardRule } from './guard-rule.ts';
import { Listings } from './listings.ts';
import { makePurchase, makeSent, toXml } from './test-facts.ts';

const toUrl = (n: number) => `https://www.shop.example/${n}`;

/** A watch of `pages` pages, all bought, of which a second run sees some gone and some changed. */
function play({
  pages = 100,
  gone = 0,
  changed = 0,
  held = false,
  approved = false,
  complete = true,
  watch = 'w0',
} = {}) {
  const found: About[] = [];
  const listings = new Listings();
  const rule = new GuardRule({
    report: (_text, about) => found.push(about!),
    ...{ listings, policy: { maxGonePercent: 30, maxChanged: 1_000, maxChangedPercent: 50 } },
    isComplete: (run) => run === 'run-1' || complete,
    hasBought: (_url, version) => version === String(Date.parse('2026-01-01')),
  });
  const list = (count: number, moved: number, run: string, name: string) => {
    const entries = Array.from({ length: count }, (_, n) => [toUrl(n), n < moved ? '2026-01-02' : '2026-01-01']);
    const xml = toXml(Object.fromEntries(entries) as Record<string, string>);
    listings.deliver('w0', '/w0.xml', xml, { isWhole: true, at: 0, run, watch: name });
  };
  list(pages, 0, 'run-1', watch);
  list(pages - gone, changed, 'run-2', 'w0');
  if (approved) rule.approved('run-2');
  const label = { run: 'run-2', isRunComplete: complete, isHeld: held, plannedAfter: listings.order };
  rule.purchased(makePurchase('R-1', [toUrl(0)], makeSent(listings.order, { label })));
  return found.map(({ cause }) => cause);
}

describe('a guard', () => {
  for (const [what, world, expected] of [
    ['as many gone as it allows', { gone: 30 }, []],
    ['one more', { gone: 31 }, ['gone']],
    ['one more, approved', { gone: 31, approved: true }, []],
    ['one more, in a crawl that is not complete', { gone: 31, complete: false }, []],
    ['one more, in the first run of a watch of that name', { gone: 31, watch: 'w1' }, []],
    ['half of them changed', { changed: 50 }, []],
    ['more than half of them changed', { changed: 51 }, ['changed']],
    ['more than half of them changed, fewer than twenty', { pages: 30, changed: 19 }, []],
    ['more than half of them changed, twenty', { pages: 30, changed: 20 }, ['changed']],
    ['more changed than any share allows', { pages: 4_000, changed: 1_001 }, ['changed']],
    ['a run that the ledger calls held', { held: true }, ['held']],
    ['a run that the ledger calls held, approved', { held: true, approved: true }, []],
  ] as const) {
    test(`${what}: ${expected.length === 0 ? 'buys' : 'must not buy'}`, () => {
      assert.deepEqual(play(world), expected);
    });
  }
});
