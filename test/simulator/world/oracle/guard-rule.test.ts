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
  refused = false,
  complete = true,
  watch = 'w0',
  bought = 1_001,
  moved = 0,
  forgotten = 0,
  away = false,
  elsewhere = 0,
  failed = 0,
  renamed = false,
  fresh = 0,
  first = false,
  planned = false,
  maxNew = null as number | null,
  maxNewPercent = null as number | null,
} = {}) {
  const found: About[] = [];
  const listings = new Listings();
  const rule = new GuardRule({
    report: (_text, about) => found.push(about!),
    ...{
      listings,
      policy: { maxNew, maxNewPercent, maxGonePercent: 30, maxChanged: 1_000, maxChangedPercent: 50 },
    },
    isComplete: (run) => run === 'run-1' || complete,
    hasBought: (_url, version) => version === String(Date.parse('2026-01-01')),
    hasFailed: (url) => Array.from({ length: failed }, (_, n) => toUrl(pages - 1 - n)).includes(url),
  });
  const list = (count: number, newer: number, run: string, name: string, more: Record<string, string> = {}) => {
    const entries = Array.from({ length: count }, (_, n) => [toUrl(n), n < newer ? '2026-01-02' : '2026-01-01']);
    const xml = toXml({ ...(Object.fromEntries(entries) as Record<string, string>), ...more });
    listings.deliver('w0', '/w0.xml', xml, { isWhole: true, at: 0, run, watch: name });
  };
  list(pages, 0, 'run-1', watch);
  rule.configure(new Set(['w0', 'w1']));
  if (away) rule.configure(new Set(['w1']));
  if (renamed) list(pages, 0, 'run-x', 'w0x');
  const taken = Object.fromEntries(Array.from({ length: elsewhere }, (_, n) => [toUrl(pages - 1 - n), '2026-01-01']));
  listings.deliver('w1', '/w1.xml', toXml(taken), { isWhole: true, at: 0, run: 'run-0', watch: 'w1' });
  rule.forgot(Array.from({ length: forgotten }, (_, n) => toUrl(pages - 1 - n)));
  const others = Array.from({ length: moved }, (_, n) => [toUrl(pages + n), '2026-01-01']);
  const other = toXml(Object.fromEntries(others) as Record<string, string>);
  listings.deliver('w1', '/w1.xml', other, { isWhole: true, at: 0, run: 'run-0', watch: 'w1' });
  const added = Array.from({ length: fresh }, (_, n) => [toUrl(10_000 + n), '2026-01-01']);
  list(pages - gone, changed, 'run-2', 'w0', Object.fromEntries([...others, ...added]) as Record<string, string>);
  if (approved) rule.approved('run-2');
  if (refused) rule.notApproved('run-2');
  const label = { run: 'run-2', isRunComplete: complete, isHeld: held, isFirst: first, plannedAfter: listings.order };
  const earlier = { ...label, run: 'run-1', plannedAfter: 1 };
  if (planned) rule.purchased(makePurchase('R-0', [toUrl(0)], makeSent(1, { label: earlier })));
  const urls = [
    ...Array.from({ length: Math.min(bought, pages) }, (_, n) => toUrl(n)),
    ...added.map(([url = '']) => url),
  ];
  // A run may have several batches.
  rule.purchased(makePurchase('R-1', urls.slice(0, 10), makeSent(listings.order, { label })));
  if (urls.length > 10) rule.purchased(makePurchase('R-2', urls.slice(10), makeSent(listings.order, { label })));
  return [...new Set(found.map(({ cause }) => cause))];
}

describe('a guard', () => {
  for (const [what, world, expected] of [
    ['as many gone as it allows', { gone: 30 }, []],
    ['one more', { gone: 31 }, ['gone']],
    ['one more, approved', { gone: 31, approved: true }, []],
    ['one more, of a plan whose approval was refused', { gone: 31, approved: true, refused: true }, ['gone']],
    ['one more, in a crawl that is not complete', { gone: 31, complete: false }, []],
    ['one more, in the first run of a watch of that name', { gone: 31, watch: 'w1' }, []],
    ['one more, and ten that moved here', { gone: 31, moved: 10 }, ['gone, beside pages that moved here']],
    ['many more, and ten that moved here', { gone: 60, moved: 10 }, ['gone']],
    ['one more, and one of them is forgotten', { gone: 31, forgotten: 1 }, []],
    [
      'two more, and one of them is forgotten',
      { gone: 32, forgotten: 1 },
      ['gone, in a watch of which pages were forgotten'],
    ],
    ['two more, and two that another watch listed while this one was away', { gone: 32, away: true, elsewhere: 2 }, []],
    ['two more, and one that another watch listed meanwhile', { gone: 32, away: true, elsewhere: 1 }, ['gone']],
    ['two more, and two that another watch lists as well', { gone: 32, elsewhere: 2 }, ['gone']],
    ['two more, which have failed and moved to another watch', { gone: 32, elsewhere: 2, failed: 2 }, []],
    ['two more, which have failed', { gone: 32, failed: 2 }, ['gone']],
    ['many, of a watch that was renamed and is back', { gone: 60, away: true, renamed: true }, []],
    ['many, of a sitemap that another watch reads, too', { gone: 60, renamed: true }, ['gone']],
    ['half of them changed', { changed: 50 }, []],
    ['more than half of them changed, and half of them bought', { changed: 51, bought: 50 }, []],
    ['more than half of them changed', { changed: 51 }, ['changed']],
    ['more than half of them changed, fewer than twenty', { pages: 30, changed: 19 }, []],
    ['more than half of them changed, twenty', { pages: 30, changed: 20 }, ['changed']],
    ['more changed than any share allows', { pages: 4_000, changed: 1_001 }, ['changed']],
    ['as many new as it allows', { fresh: 10, maxNew: 10, maxNewPercent: 10 }, []],
    ['one more new', { fresh: 11, maxNew: 10 }, ['new']],
    ['one more new, in percent', { fresh: 11, maxNewPercent: 10 }, ['new']],
    ['one more new, approved', { fresh: 11, maxNew: 10, approved: true }, []],
    ['one more, in a run that the ledger calls the first, and none has bought', { gone: 31, first: true }, []],
    [
      'one more, in a run that the ledger calls the first after one that bought',
      { gone: 31, first: true, planned: true },
      ['gone, in a run that is not the first'],
    ],
    ['a run that the ledger calls held', { held: true }, ['held']],
    ['a run that the ledger calls held, approved', { held: true, approved: true }, []],
  ] as const) {
    test(`${what}: ${expected.length === 0 ? 'buys' : 'must not buy'}`, () => {
      assert.deepEqual(play(world), expected);
    });
  }
});
