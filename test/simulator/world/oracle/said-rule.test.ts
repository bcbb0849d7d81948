import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { SaidRule } from './said-rule.ts';
import { makePurchase, makeSent } from './test-facts.ts';

describe('what was said before it was done', () => {
  test('binds the amount and the pages of that run, and of no other', () => {
    const found: About[] = [];
    const rule = new SaidRule((_text, about) => found.push(about!));
    rule.said({ run: 'run-1', by: 'the plan', cost: 2, urls: ['a', 'b'] });
    const other = makeSent(0, { label: { run: 'run-2', isRunComplete: true, isHeld: false, plannedAfter: 0 } });
    rule.purchased(makePurchase('R-1', ['a', 'b', 'c'], other));
    rule.purchased(makePurchase('R-2', ['a'], makeSent(0)));
    rule.purchased(makePurchase('R-3', ['b'], makeSent(0)));
    assert.equal(found.length, 0);
    rule.purchased({ ...makePurchase('R-4', ['a'], makeSent(0)), amount: 1 });
    assert.equal(found[0]?.beyond, 1);
    rule.said({ run: 'run-1', by: 'the hold', cost: 9, urls: ['a'] });
    rule.purchased(makePurchase('R-5', ['b'], makeSent(0)));
    assert.deepEqual([found[1]?.url, found[1]?.cause], ['b', 'the hold, of more pages']);
  });

  test('binds the number of pages where it names none, and no amount where no price was known', () => {
    const found: About[] = [];
    const rule = new SaidRule((_text, about) => found.push(about!));
    rule.said({ run: 'run-1', by: 'the hold', cost: null, urls: 2 });
    rule.purchased({ ...makePurchase('R-1', ['a', 'b'], makeSent(0)), amount: 100 });
    // One that failed, for example, is bought once more.
    rule.purchased(makePurchase('R-2', ['a'], makeSent(0)));
    assert.equal(found.length, 0);
    rule.purchased(makePurchase('R-3', ['c'], makeSent(0)));
    assert.deepEqual([found[0]?.beyond, found[0]?.cause], [1, 'the hold, of more pages']);
  });
});
