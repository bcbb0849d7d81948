import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { Listings } from './listings.ts';
import { toVersion } from './moments.ts';
import { PurchaseRule } from './purchase-rule.ts';
import { makePurchase, makeSent, toXml } from './test-facts.ts';

const A = 'https://www.shop.example/a';
const AFTER = 300_000;

interface Settings {
  readonly notWithinMs: number;
  readonly times: number;
  readonly isShared: boolean;
  readonly buysChanges: boolean;
  readonly resubmitAfter: number | null;
}

/** A world of one page: `list` shows it to a crawl, `buy` buys it as it is listed then. */
function createWorld({
  notWithinMs = 0,
  times = 1,
  isShared = false,
  buysChanges = true,
  resubmitAfter = null,
}: Partial<Settings> = {}) {
  const found: About[] = [];
  const listings = new Listings();
  const failed = new Map<string, number>();
  const created = new Map<string, number>();
  const clock = { now: 0, notFound: 0, setBack: 0 };
  const rule = new PurchaseRule({
    report: (text, about) => found.push({ ...about, text } as About),
    ...{ listings, retry: { times, afterMs: AFTER }, notWithinMs },
    readFailure: (reference) => failed.get(reference) ?? null,
    readCreated: (reference) => created.get(reference) ?? 0,
    getLatestTime: () => clock.now,
    getTimeSince: (time) => clock.now + clock.setBack - time,
    isShared: () => isShared,
    ...{ buysChanges, resubmitAfter, countNotFound: () => clock.notFound },
  });
  let count = 0;
  const world = {
    ...{ found, rule, clock, listings, created },
    list: (lastmod: string | null, sitemap = 'w0') =>
      listings.deliver(sitemap, `/${sitemap}.xml`, toXml({ [A]: lastmod }), {
        isWhole: true,
        at: clock.now,
        run: null,
        watch: null,
      }).order,
    buy: (sitemap = 'w0', { order = listings.order, account = 'simulated' } = {}) => {
      count += 1;
      const sent = makeSent(order, { sitemap, account, since: clock.now, sentAfter: listings.order });
      const purchase = makePurchase(`R-${count}`, [A], sent);
      created.set(purchase.reference, clock.now);
      rule.purchased(purchase);
      return purchase;
    },
    fail: ({ reference }: { readonly reference: string }) => failed.set(reference, clock.now),
    causes: () => found.map(({ cause }) => cause),
  };
  return world;
}

describe('what the policy of a watch allows', () => {
  test('no change, where it does not buy changes', () => {
    for (const buysChanges of [true, false]) {
      const { list, buy, causes } = createWorld({ buysChanges });
      list('2026-01-01');
      buy();
      list('2026-01-02');
      buy();
      assert.equal(causes().length, buysChanges ? 0 : 1);
    }
  });

  test('a page once more after so many checks that did not find it', () => {
    const { list, buy, clock, causes } = createWorld({ resubmitAfter: 2 });
    list('2026-01-01');
    buy();
    clock.notFound = 2;
    buy();
    assert.deepEqual(causes(), []);
    clock.notFound = 3;
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('of a version that another sitemap wrote as another text: says so', () => {
    const { list, buy, causes } = createWorld();
    list('2026-01-01T10:00:00Z');
    list('2026-01-01', 'w1');
    buy();
    list('2026-01-02T10:00:00Z');
    list('2026-01-02T13:00:00+03:00', 'w1');
    buy('w0');
    buy('w1');
    assert.deepEqual(causes(), ['again']);
  });
});

describe('each version is bought once', () => {
  test('a page that has changed is bought again, and not once more', () => {
    const { list, buy, causes } = createWorld();
    for (const day of ['2026-01-01', '2026-01-02']) {
      list(day);
      buy();
    }
    assert.deepEqual(causes(), []);
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('one moment in two formats is one version', () => {
    const { list, buy, causes } = createWorld();
    list('2026-01-01T10:00:00Z');
    buy();
    list('2026-01-01T13:00:00+03:00');
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('a version that comes back is none that nobody has bought, however many there were', () => {
    const { list, buy, causes } = createWorld();
    for (const day of ['2026-01-01', '2026-01-02']) {
      list(day);
      buy();
    }
    list('2026-01-01');
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('a date where there was none is no change; the next one is', () => {
    const { list, buy, causes } = createWorld();
    list(null);
    buy();
    list('2026-01-01');
    buy();
    assert.deepEqual(causes(), ['again']);
    list('2026-01-02');
    buy();
    assert.equal(causes().length, 1);
  });

  test('the first date that another watch sees is no change; its second one is', () => {
    const { list, buy, causes } = createWorld();
    list('2026-01-01');
    buy();
    list('2026-01-02', 'w1');
    buy('w1');
    assert.deepEqual(causes(), ['again']);
    list('2026-01-03', 'w1');
    buy('w1');
    assert.equal(causes().length, 1);
  });

  test('accounts that both list it buy it once each', () => {
    const { list, buy, causes } = createWorld({ isShared: true });
    list('2026-01-01');
    list('2026-01-01', 'w1');
    buy();
    buy('w1', { account: 'second' });
    assert.deepEqual(causes(), []);
    buy('w1', { account: 'second' });
    assert.deepEqual(causes(), ['again']);
  });

  test('a change that the ledger had before the batch was sent belongs to that purchase', () => {
    const { list, buy, causes, clock, rule } = createWorld();
    const order = list('2026-01-01');
    list('2026-01-02');
    clock.now += 3_600_000;
    buy('w0', { order });
    assert.ok(rule.hasBought(A, toVersion('2026-01-02')));
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('one that it may not have had yet is bought then or later', () => {
    const { list, buy, causes, rule } = createWorld();
    const order = list('2026-01-01');
    list('2026-01-02');
    buy('w0', { order });
    assert.ok(rule.hasBought(A, toVersion('2026-01-02')));
    buy();
    assert.deepEqual(causes(), []);
  });

  test('a release allows one purchase', () => {
    const { list, buy, rule, causes } = createWorld();
    list('2026-01-01');
    buy();
    rule.release(A);
    buy();
    assert.deepEqual(causes(), []);
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('a purchase that a copy lacks is made again only for a version that is later than its job', () => {
    for (const [lastmod, breaches] of [
      ['1970-01-01T00:00:02Z', 0],
      ['1970-01-01T00:00:01Z', 1],
    ] as const) {
      const { list, buy, rule, causes, clock } = createWorld();
      clock.now = 1_000;
      list(lastmod);
      rule.lose([buy()]);
      buy();
      assert.equal(causes().length, breaches);
    }
  });
});

describe('a failed page is bought again', () => {
  test('when its wait is over, which doubles, and as often in a row as the rule says', () => {
    const { list, buy, fail, clock, causes } = createWorld({ times: 2 });
    list('2026-01-01');
    fail(buy());
    clock.now += AFTER;
    fail(buy());
    clock.now += 2 * AFTER;
    fail(buy());
    assert.deepEqual(causes(), []);
    clock.now += 4 * AFTER;
    buy();
    assert.deepEqual(causes(), ['again']);
  });

  test('not a millisecond sooner', () => {
    const { list, buy, fail, clock, found } = createWorld({ times: 2 });
    list('2026-01-01');
    fail(buy());
    clock.now += AFTER - 1;
    fail(buy());
    clock.now += 2 * AFTER - 1;
    buy();
    assert.deepEqual(
      found.map(({ cause, beyond }) => [cause, beyond]),
      [
        ['retry too early', 1],
        ['retry too early', 1],
      ],
    );
  });

  test('when its wait is over, although the clock that showed its failure was set back since', () => {
    const { list, buy, fail, clock, causes } = createWorld();
    list('2026-01-01');
    fail(buy());
    clock.setBack = 10 * AFTER;
    clock.now += AFTER - clock.setBack;
    buy();
    assert.deepEqual(causes(), []);
  });

  test('a change begins a new row', () => {
    const { list, buy, fail, clock, causes } = createWorld();
    for (const day of ['2026-01-01', '2026-01-02']) {
      list(day);
      fail(buy());
      clock.now += AFTER;
      fail(buy());
    }
    assert.deepEqual(causes(), []);
  });
});

describe('not_within', () => {
  test('keeps a change waiting, under any watch, and no retry', () => {
    const { list, buy, fail, clock, causes } = createWorld({ notWithinMs: 10 * AFTER });
    list('2026-01-01');
    list('2026-01-01', 'w1');
    fail(buy());
    clock.now += AFTER;
    buy();
    clock.now += 10 * AFTER;
    list('2026-01-02');
    buy();
    assert.deepEqual(causes(), []);
    clock.now += 10 * AFTER - 1;
    list('2026-01-03', 'w1');
    buy('w1');
    assert.deepEqual(causes(), ['not within, across watches']);
    clock.now += 10 * AFTER - 1;
    list('2026-01-04', 'w1');
    buy('w1');
    assert.deepEqual(causes(), ['not within, across watches', 'not within']);
  });
});
