import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { FAILS, POISON, Site } from '../site.ts';
import { BoughtRule } from './bought-rule.ts';
import { Listings } from './listings.ts';
import { PurchaseRule } from './purchase-rule.ts';
import { ServiceData } from './service-data.ts';
import { makePurchase, makeSent, toXml } from './test-facts.ts';

const PAGE = 'https://www.shop.example/a';
const FAILING = `https://www.shop.example/a${FAILS}`;

/** A watch of one page, and the jobs that have bought it. */
function createRule({
  url = PAGE,
  lastmod = null as string | null,
  sure = false,
  notWithinMs = 0,
  now = 0,
  highest = 0,
} = {}) {
  const db = new DatabaseSync(':memory:');
  db.exec(`
    CREATE TABLE submissions (id INTEGER, reference TEXT, idempotency_key TEXT, created_at INTEGER, finished_at INTEGER, status TEXT);
    CREATE TABLE submission_urls (submission_id INTEGER, url TEXT, status TEXT, updated_at INTEGER)`);
  const serviceData = new ServiceData(db);
  const site = new Site();
  const listings = new Listings();
  const list = (date: string | null) => {
    site.publish('w0', [{ url, lastmod: date }]);
    const watch = { isWhole: true, at: 0, run: 'run-1', watch: 'w0' };
    listings.deliver('w0', '/w0.xml', toXml({ [url]: date }), watch);
  };
  list(lastmod);
  const purchases = new PurchaseRule({
    ...{ report: () => undefined, listings, retry: { times: 1, afterMs: 0 }, notWithinMs: 0 },
    ...{
      readFailure: () => null,
      readCreated: () => 0,
      getLatestTime: () => 0,
      getTimeSince: () => 0,
      isShared: () => false,
    },
  });
  const found: string[] = [];
  const rule = new BoughtRule({
    ...{
      report: (text) => found.push(text),
      site,
      serviceData,
      retry: { times: 1, afterMs: 0 },
      purchases,
      baseline: null,
      notWithinMs,
      now: () => now,
      getHighestSince: () => highest,
    },
    ...{ toAccount: () => 'simulated', toWatch: (sitemap) => sitemap, changes: { isSure: () => sure } },
  });
  const buy = (id: number, status: string | null = null, account = 'simulated') => {
    db.prepare('INSERT INTO submissions VALUES (?, ?, NULL, ?, NULL, ?)').run(id, `R-${id}`, id, 'completed');
    db.prepare('INSERT INTO submission_urls VALUES (?, ?, ?, NULL)').run(id, url, status);
    const purchase = makePurchase(`R-${id}`, [url], makeSent(listings.order, { account }));
    purchases.purchased(purchase);
    rule.purchased(purchase);
    return purchase;
  };
  const isWrong = () => rule.listUnbought(new Set(['w0'])).length > 0;
  return { rule, found, list, buy, isWrong };
}

describe('a listed page', () => {
  test('is bought in the end, by the account of its watch', () => {
    const { rule, buy, isWrong, found } = createRule();
    assert.equal(isWrong(), true);
    buy(1, 'completed', 'other');
    assert.equal(isWrong(), true, 'another account has bought it');
    rule.changeAccount('w0');
    assert.equal(isWrong(), false, 'its watch had that account before');
    rule.requireAll(new Set(['w0']));
    assert.deepEqual(found, []);
  });

  test('that changes is bought again', () => {
    const { buy, list, isWrong } = createRule({ lastmod: '2026-01-01' });
    buy(1);
    assert.equal(isWrong(), false);
    list('2026-02-01');
    assert.equal(isWrong(), true);
    buy(2);
    assert.equal(isWrong(), false);
  });

  test('that changes within not_within of its purchase need not be bought yet', () => {
    for (const [now, isDue] of [
      [1_000, false],
      [1_001, true],
    ] as const) {
      const { buy, list, isWrong } = createRule({ lastmod: '2026-01-01', notWithinMs: 1_000, now });
      buy(1);
      list('2026-02-01');
      assert.equal(isWrong(), isDue);
    }
  });

  test('that a watch has surely seen change is bought again, whatever another one lists', () => {
    const { buy, isWrong } = createRule({ lastmod: '2026-01-01', sure: true });
    buy(1);
    assert.equal(isWrong(), true);
  });

  test('that changed before a job which a copy of the ledger lacks counts as bought, and what is later does not', () => {
    for (const [created, wrong] of [
      [Date.parse('2026-02-01'), false],
      [Date.parse('2026-02-01') - 1, true],
    ] as const) {
      const { rule, buy, list, isWrong } = createRule({ lastmod: '2026-01-01' });
      rule.lose([buy(created)]);
      list('2026-02-01');
      assert.equal(isWrong(), wrong);
    }
  });

  test('of a batch that an operator has left counts as bought, until it changes', () => {
    const { rule, list, isWrong } = createRule({ lastmod: '2026-01-01' });
    rule.leavePages([PAGE]);
    assert.equal(isWrong(), false);
    list('2026-02-01');
    assert.equal(isWrong(), true);
  });

  test('that the service never takes is not bought', () => {
    const { rule, buy, found } = createRule({ url: `${PAGE}${POISON}` });
    rule.requireAll(new Set(['w0']));
    assert.deepEqual(found, []);
    buy(1);
    rule.requireAll(new Set(['w0']));
    assert.match(found[0] ?? '', /the service never took it/);
  });
});

describe('a page that fails', () => {
  test('is bought again as often as it may be', () => {
    const { buy, isWrong } = createRule({ url: FAILING });
    buy(1, 'failed');
    assert.equal(isWrong(), true);
    buy(2, 'failed');
    assert.equal(isWrong(), false);
  });

  test('is bought again after each job that failed it, where another one has completed it between', () => {
    const { buy, isWrong } = createRule();
    for (const [id, status, wrong] of [
      [1, 'failed', true],
      [2, 'completed', false],
      [3, 'failed', true],
      [4, 'failed', false],
    ] as const) {
      buy(id, status);
      assert.equal(isWrong(), wrong, String(id));
    }
  });

  test('counts as bought where an operator has ended its last job, and not for another one', () => {
    const { rule, buy, isWrong } = createRule({ url: FAILING });
    buy(1, 'failed');
    rule.leave('R-2');
    assert.equal(isWrong(), true);
    rule.leave('R-1');
    assert.equal(isWrong(), false);
  });

  test('waits where the clock of the worker was ahead that may have read it, until the others show that time', () => {
    for (const [now, isMissing] of [
      [59, false],
      [60, true],
    ] as const) {
      const { buy, isWrong } = createRule({ url: FAILING, now, highest: 60 });
      buy(1, 'failed');
      assert.equal(isWrong(), isMissing);
    }
  });

  test('counts as completed where the service never shows which failed, once its job has ended', () => {
    const { rule, buy } = createRule({ url: FAILING });
    buy(1, 'failed');
    assert.equal(rule.countsAsCompleted(FAILING), false);
    rule.hidesFailures = true;
    assert.equal(rule.countsAsCompleted(FAILING), true);
    assert.equal(rule.countsAsCompleted(PAGE), false);
  });
});

describe('a page that nobody wants', () => {
  test('is not bought until somebody does', () => {
    const { rule, buy, found } = createRule();
    rule.setUnwanted([PAGE], 'nobody has approved it');
    buy(1);
    assert.equal(found.length, 1);
    rule.setUnwanted([PAGE], null);
    buy(2);
    assert.equal(found.length, 1);
  });
});

test('while another account is in trouble, all is bought but what may be charged to that one', () => {
  const { rule, found } = createRule();
  rule.requireOthers(['w0'], new Set([PAGE]));
  assert.equal(found.length, 0);
  rule.requireOthers(['w0'], new Set());
  assert.equal(found.length, 1);
});
