import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { CHECK_PRICE, type CheckPolicy, CheckRule } from './check-rule.ts';

const A = 'https://www.shop.example/a';
const HOUR = 3_600_000;
const POLICY: CheckPolicy = { afterMs: HOUR, everyMs: 24 * HOUR, stopWhenFound: true, sample: 1, perDay: null };

/** A world of pages that were completed at 0. */
function createWorld(more: Partial<CheckPolicy> = {}) {
  const breaches: About[] = [];
  const world = {
    now: HOUR,

    completed: 0 as number | null,
    jobs: 1,
    pages: 1,
    found: new Set<string>(),
    gone: false,
  };
  const rule = new CheckRule({
    report: (_text, about) => breaches.push(about!),
    policy: { ...POLICY, ...more },
    listCompletions: () =>
      world.completed === null ? [] : [...Array<number>(world.jobs - 1).fill(0), world.completed],
    countCompleted: () => world.pages,
    wasFound: (_url, check) => world.found.has(check),
    getLatestTime: () => world.now,
    isLongGone: () => world.gone,
  });
  let count = 0;
  const check = (urls: readonly string[] = [A], amount = urls.length * CHECK_PRICE, day = 0) => {
    count += 1;
    rule.charged({ id: `c${count}`, account: 'a', amount, balance: 0, urls, at: 0 }, 'w0', day);
    return `c${count}`;
  };
  return { world, rule, check, breaches, causes: () => breaches.map(({ cause }) => cause) };
}

describe('an index-check', () => {
  test('costs what the specification says', () => {
    const { check, causes } = createWorld();
    check([A, `${A}2`], 2 * CHECK_PRICE);
    assert.deepEqual(causes(), []);
    check([`${A}3`, `${A}4`], CHECK_PRICE);
    assert.deepEqual(causes(), ['amount']);
  });

  test('is made of completed pages', () => {
    const { check, world, causes } = createWorld();
    world.completed = null;
    check();
    assert.deepEqual(causes(), ['not completed']);
  });

  test('is made when its time after the completion has come, to the millisecond', () => {
    for (const [now, expected] of [
      [HOUR, []],
      [HOUR - 1, ['too early']],
    ] as const) {
      const { check, world, causes } = createWorld();
      world.now = now;
      check();
      assert.deepEqual(causes(), expected);
    }
  });

  test('is made again after its interval, and before only for another completion', () => {
    const { check, world, causes } = createWorld();
    check();
    world.now += 24 * HOUR;
    check();
    world.completed = world.now + 1;
    world.jobs += 1;
    world.now += 1 + HOUR;
    check();
    assert.deepEqual(causes(), []);
    world.now += 24 * HOUR - 1;
    check();
    assert.deepEqual(causes(), ['again']);
  });

  test('may be made once more where the connector read a second completion after a check of the first', () => {
    const { check, world, causes } = createWorld();
    world.jobs = 2;
    world.found.add(check());
    world.now += HOUR;
    world.found.add(check());
    assert.deepEqual(causes(), []);
    world.now += 48 * HOUR;
    check();
    assert.deepEqual(causes(), ['found']);
  });

  test('is made when the time after a completion has come, although the page is completed once more meanwhile', () => {
    const { check, world, causes } = createWorld();
    world.jobs = 2;
    world.completed = HOUR - 1;
    check();
    assert.deepEqual(causes(), []);
    check();
    assert.deepEqual(causes(), ['too early']);
  });

  test('may be made for another completion whose stamp is older, as of a clock that was corrected', () => {
    const { check, world, causes } = createWorld();
    world.completed = 3 * 24 * HOUR;
    world.now = 3 * 24 * HOUR + HOUR;
    world.found.add(check());
    world.jobs += 1;
    check();
    assert.deepEqual(causes(), []);
    world.found.add('c2');
    world.now += 1;
    check();
    assert.deepEqual(causes(), ['found']);
  });

  test('is not made again once the page was found, until it is completed again', () => {
    const { check, world, causes } = createWorld();
    world.found.add(check());
    world.now += 24 * HOUR;
    world.completed = world.now - HOUR;
    world.jobs += 1;
    check();
    assert.deepEqual(causes(), []);
    world.found.add('c2');
    world.now += 48 * HOUR;
    check();
    assert.deepEqual(causes(), ['found']);
  });

  test('is not made of a page that is gone', () => {
    const { check, world, causes } = createWorld();
    world.gone = true;
    check();
    assert.deepEqual(causes(), ['gone']);
  });

  test('is made of the sample', () => {
    for (const [count, expected] of [
      [20, []],
      [30, ['sample']],
    ] as const) {
      const { check, world, causes } = createWorld({ sample: 0.1 });
      world.pages = 100;
      check(Array.from({ length: count }, (_, n) => `${A}${n}`));
      assert.deepEqual(causes(), count === 20 ? expected : ['sample']);
    }
  });

  test('keeps its budget of the day, to the micro-lira', () => {
    const { check, breaches, rule } = createWorld({ perDay: 2 * CHECK_PRICE });
    check([A, `${A}2`]);
    check([`${A}3`], CHECK_PRICE, 1);
    rule.givenBack(CHECK_PRICE, 'w0', 0);
    check([`${A}4`]);
    assert.equal(breaches.length, 0);
    check([`${A}5`]);
    assert.equal(breaches[0]?.beyond, CHECK_PRICE);
  });

  test('that a copy of the ledger lacks may be made again', () => {
    const { check, rule, causes } = createWorld();
    check([`${A}2`]);
    rule.copied();
    check();
    rule.restored();
    check();
    assert.deepEqual(causes(), []);
    check([`${A}2`]);
    assert.deepEqual(causes(), ['again']);
  });
});
