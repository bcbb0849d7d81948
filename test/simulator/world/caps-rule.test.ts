import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Caps, CapsRule, looser, NO_CAPS, toDay } from './caps-rule.ts';

const at = (date: string, caps: Partial<Caps>, watch = 'w0', account = 'first') => ({
  account,
  watch,
  caps: { ...NO_CAPS, ...caps },
  day: toDay(Date.parse(date)),
});

describe('the rule of the caps', () => {
  for (const [name, other, nextWindow] of [
    ['perDay', 'w1', '2026-04-01T00:00Z'],
    ['perMonth', 'w1', '2026-04-01T00:00Z'],
    ['watchPerDay', 'w0', '2026-04-01T00:00Z'],
    ['watchPerMonth', 'w0', '2026-04-01T00:00Z'],
  ] as const) {
    test(`${name} counts what belongs to it, and begins again with its window`, () => {
      const rule = new CapsRule();
      const caps = { [name]: 10 };
      assert.deepEqual(rule.spend(6, at('2026-03-31T23:00Z', caps)), []);
      assert.equal(rule.spend(5, at('2026-03-31T23:59Z', caps, other)).length, 1);
      assert.deepEqual(rule.spend(6, at(nextWindow, caps)), []);
    });
  }

  test('a month goes on at the end of a day, and a watch has a cap of its own', () => {
    const rule = new CapsRule();
    assert.deepEqual(rule.spend(6, at('2026-03-30T12:00Z', { perMonth: 10 })), []);
    assert.equal(rule.spend(6, at('2026-03-31T12:00Z', { perMonth: 10 })).length, 1);
    assert.deepEqual(rule.spend(6, at('2026-03-31T12:00Z', { watchPerMonth: 10 }, 'w1')), []);
  });

  test('each account has the cap of its day for itself, and a watch that changes its account goes on with its own', () => {
    const rule = new CapsRule();
    const day = '2026-03-30T12:00Z';
    assert.deepEqual(rule.spend(6, at(day, { perDay: 10 })), []);
    assert.deepEqual(rule.spend(6, at(day, { perDay: 10 }, 'w1', 'second')), []);
    assert.equal(rule.spend(5, at(day, { watchPerDay: 10 }, 'w0', 'second')).length, 1);
    const accounts = ['first', 'second'];
    assert.equal(rule.getSpent('perDay', { accounts, watches: ['w0'] }, at(day, {}).day), 11);
  });

  test('a watch spends the cap of a run once for each of its runs', () => {
    const rule = new CapsRule();
    rule.beginRun('w0');
    assert.deepEqual(rule.spend(10, at('2026-03-31', { watchPerRun: 10 })), []);
    rule.beginRun('w0');
    assert.deepEqual(rule.spend(10, at('2026-04-01', { watchPerRun: 10 })), []);
    assert.equal(rule.spend(1, at('2026-04-02', { watchPerRun: 10 })).length, 1);
  });

  test('what a watch spent before the cap of a run was lowered does not count for it', () => {
    const rule = new CapsRule();
    rule.beginRun('w0');
    assert.deepEqual(rule.spend(50, at('2026-03-31', {})), []);
    assert.deepEqual(rule.spend(40, at('2026-03-31', { watchPerRun: 40 })), []);
    assert.deepEqual(rule.spend(10, at('2026-03-31', { watchPerRun: 10 })), []);
    assert.equal(rule.spend(1, at('2026-03-31', { watchPerRun: 10 })).length, 1);
  });

  test('a price that had just risen leaves the next run its own cap, and no more', () => {
    const rule = new CapsRule();
    rule.beginRun('w0');
    assert.equal(rule.spend(30, at('2026-03-31', { watchPerRun: 12 }), 10).length, 1);
    rule.beginRun('w0');
    assert.deepEqual(rule.spend(12, at('2026-03-31', { watchPerRun: 12 })), []);
    assert.equal(rule.spend(3, at('2026-03-31', { watchPerRun: 12 })).length, 1);
  });

  test('a run that is the only one has spent what was charged, whatever was expected', () => {
    const rule = new CapsRule();
    rule.beginRun('w0');
    assert.equal(rule.spend(30, at('2026-03-31', { watchPerRun: 40 }), 10).length, 0);
    assert.equal(rule.spend(11, at('2026-03-31', { watchPerRun: 40 })).length, 1);
  });

  test('a day has spent what was charged, whatever was expected', () => {
    const rule = new CapsRule();
    assert.equal(rule.spend(30, at('2026-03-31', { watchPerDay: 40 }), 10).length, 0);
    assert.equal(rule.spend(11, at('2026-03-31', { watchPerDay: 40 })).length, 1);
  });

  test('of two configurations the looser cap holds, and none is the loosest', () => {
    const a = { ...NO_CAPS, perDay: 3, perMonth: 5 };
    assert.deepEqual(looser(a, { ...NO_CAPS, perDay: 7 }), { ...NO_CAPS, perDay: 7 });
  });
});
