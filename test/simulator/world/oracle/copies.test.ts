import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_CAPS } from './caps-rule.ts';
import { Copies } from './copies.ts';
import { Sends } from './sends.ts';
import { makePurchase, makeSent } from './test-facts.ts';

const MOMENT = { elapsed: 0, day: 3, decidedDay: 3, caps: NO_CAPS, floor: 0, order: 0, isRefused: false };

describe('a copy of the ledger that comes back', () => {
  test('lacks what happened since it was made, and nothing of before', () => {
    const copies = new Copies(new Sends());
    copies.bought(makePurchase('R-1', ['a'], makeSent(0)));
    copies.copied();
    copies.bought(makePurchase('R-2', ['a'], makeSent(0)));
    copies.spent({ account: 'simulated', watch: 'w0', amount: 5, day: 3 }, 'c-1');
    const { purchases, spent } = copies.restored();
    assert.deepEqual([purchases.map(({ reference }) => reference), spent.length], [['R-2'], 1]);
    assert.deepEqual(
      [copies.isLostJob('R-1'), copies.isLostJob('R-2'), copies.isLostCheck('c-1')],
      [false, true, true],
    );
    assert.equal(copies.restored().purchases.length, 0, 'the same copy again lacks what came after its return');
  });

  test('may be back soon after a job was created', () => {
    const copies = new Copies(new Sends());
    copies.copied();
    for (const [reference, at] of [
      ['R-1', 0],
      ['R-2', 10_000],
    ] as const)
      copies.bought({ ...makePurchase(reference, ['a'], makeSent(0)), at });
    copies.restored(100_000);
    assert.deepEqual([copies.isSoonSentAgain('R-1'), copies.isSoonSentAgain('R-2')], [false, true]);
  });

  test('lacks the answers that came since it was made: a charge counts when it is learned again', () => {
    const sends = new Sends();
    const copies = new Copies(sends);
    for (const key of ['before', 'after']) sends.checkLeft(key, { account: 'simulated', watch: 'w0' }, MOMENT);
    sends.answered('before', MOMENT);
    copies.copied();
    sends.answered('after', MOMENT);
    copies.restored();
    assert.deepEqual([sends.findCheck('before')!.answeredDay, sends.findCheck('after')!.answeredDay], [3, null]);
  });

  test('does not know whether a check, which it knows as refused, was charged since', () => {
    const sends = new Sends();
    const copies = new Copies(sends);
    sends.checkLeft('check', { account: 'simulated', watch: 'w0' }, MOMENT);
    sends.refused('check');
    copies.copied();
    assert.equal(sends.findCheck('check')!.mayBeCharged, false);
    copies.restored();
    assert.equal(sends.findCheck('check')!.mayBeCharged, true);
  });
});
