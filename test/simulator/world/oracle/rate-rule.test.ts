import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { type Asked, RateRule, WINDOWS } from './rate-rule.ts';

function createRule() {
  const found: About[] = [];
  const rule = new RateRule((_text, about) => found.push(about!));
  const at = (now: number, more: Partial<Asked> = {}): Asked => ({
    ...{ key: 'k', lane: 'other', request: null, now, elapsed: now },
    ...more,
  });
  return { rule, found, at };
}

describe('the rate limits', () => {
  for (const { name, forMs, most, counts } of WINDOWS.slice(0, 3)) {
    test(`${name}: as many, and one more when the first has left the window`, () => {
      const { rule, found, at } = createRule();
      const lane = counts === 'submissions' ? 'submissions' : 'other';
      // No other window of these is full by them.
      const step = counts === 'submissions' ? 0 : Math.ceil(forMs / most / 2);
      for (let n = 0; n < most; n++) rule.had(at(n * step, { lane }));
      rule.had(at(forMs, { lane }));
      assert.equal(found.filter(({ cause }) => cause === name).length, 0);
      rule.had(at(forMs + step - 1, { lane }));
      assert.equal(found.filter(({ cause }) => cause === name).length, 1);
    });
  }

  test('a read is no submission, and another key has limits of its own', () => {
    const { rule, found, at } = createRule();
    for (let n = 0; n < 10; n++) rule.had(at(n, { lane: 'submissions' }));
    rule.had(at(10));
    rule.had(at(10, { lane: 'submissions', key: 'other' }));
    assert.equal(found.length, 0);
  });

  test('a 429 of the service is a breach', () => {
    const { rule, found, at } = createRule();
    rule.refused(at(0));
    assert.equal(found[0]?.cause, '429');
  });
});

describe('a Retry-After', () => {
  test('closes its lane until it is over, and no other', () => {
    const { rule, found, at } = createRule();
    rule.mustWait(at(0, { lane: 'submissions' }), 429, '30');
    rule.sent(at(10));
    rule.sent(at(30_000, { lane: 'submissions' }));
    assert.equal(found.length, 0);
    rule.mustWait(at(40_000, { lane: 'submissions' }), 429, '30');
    rule.sent(at(69_999, { lane: 'submissions' }));
    assert.equal(found[0]?.beyond, 1);
  });

  test('of a read closes the key', () => {
    const { rule, found, at } = createRule();
    rule.mustWait(at(0), 429, '30');
    rule.sent(at(10, { lane: 'submissions', key: 'other' }));
    assert.equal(found.length, 0);
    rule.sent(at(10, { lane: 'submissions' }));
    assert.equal(found.length, 1);
  });

  test('is over when the clocks say so', () => {
    const { rule, found, at } = createRule();
    rule.mustWait(at(0), 429, '600');
    rule.sent(at(10), { slowest: 10, fastest: 600_000 });
    assert.equal(found.length, 0);
  });

  test('says nothing where a clock is too far behind that of the host which has written it down', () => {
    const { rule, found, at } = createRule();
    const now = 3_600_000;
    rule.mustWait(at(now), 429, '600');
    rule.sent(at(now + 10), { slowest: now - 600_000, fastest: now + 10 });
    assert.equal(found.length, 1);
    rule.sent(at(now + 10), { slowest: now - 600_001, fastest: now + 10 });
    assert.equal(found.length, 1);
  });

  for (const status of [503, 409]) {
    test(`of a ${status} is of that request alone, and is lost with a ledger`, () => {
      const { rule, found, at } = createRule();
      const batch = { lane: 'submissions', request: 'sc1-1' } as const;
      rule.mustWait(at(0), status, '30');
      rule.sent(at(1));
      rule.mustWait(at(0, batch), status, '30');
      rule.sent(at(10, { ...batch, request: 'sc1-2' }));
      rule.sent(at(30_000, batch));
      assert.equal(found.length, 0);
      rule.mustWait(at(40_000, batch), status, '30');
      rule.sent(at(69_999, batch));
      assert.deepEqual([found.length, found[0]?.beyond], [1, 1]);
      rule.restored();
      rule.sent(at(69_999, batch));
      assert.equal(found.length, 1);
    });
  }
});
