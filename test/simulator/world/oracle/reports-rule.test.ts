import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkStatusSays, checkWhy, type Reported } from './reports-rule.ts';

const PAGE: Reported = {
  ...{ url: 'https://www.shop.example/a', watch: 'w0', standing: 'completed', why: 'bought in R-1 and completed' },
  ...{ isListed: true, isBought: true, isCompleted: true, isFailed: false, isOpen: false },
  ...{ isDone: true, isHeld: false, isInReview: false, isOnItsWay: false, mayLackMoney: false },
};

const check = (more: Partial<Reported>): string[] => {
  const found: string[] = [];
  checkWhy({ ...PAGE, ...more }, (text) => found.push(text));
  return found;
};

describe('what why says', () => {
  for (const [what, truth, lie] of [
    ['completed', {}, { isCompleted: false }],
    ['not_listed', { standing: 'not_listed', isListed: false }, { standing: 'not_listed' }],
    ['gone', { standing: 'gone', isListed: false }, { standing: 'gone' }],
    ['quarantined', { standing: 'quarantined', isFailed: true }, { standing: 'quarantined' }],
    ['submitted', { standing: 'submitted', isOpen: true }, { standing: 'submitted' }],
    ['due', { standing: 'due', isDone: false }, { standing: 'due' }],
    ['due_later', { standing: 'due_later', isDone: false }, { standing: 'due_later' }],
    ['held_by_guard', { standing: 'held_by_guard', isHeld: true }, { standing: 'held_by_guard' }],
    ['held_by_cap', { standing: 'held_by_cap', mayLackMoney: true }, { standing: 'held_by_cap' }],
    ['needs_review', { standing: 'needs_review', isInReview: true }, { standing: 'needs_review' }],
    ['waiting', { standing: 'waiting', isOnItsWay: true }, { standing: 'waiting' }],
    [
      'not_due',
      { standing: 'not_due', why: 'bought by another watch' },
      { standing: 'not_due', why: 'bought by another watch', isBought: false },
    ],
  ] as const) {
    test(`${what}: is true or a breach`, () => {
      assert.deepEqual(check(truth), []);
      assert.equal(check(lie).length, 1);
    });
  }
});

describe('what status --check says', () => {
  test('is something, where a page waits beyond every bound', () => {
    const found: string[] = [];
    const report = (text: string) => found.push(text);
    checkStatusSays([], [], report);
    checkStatusSays([{ url: 'a', cause: 'has failed' }], ['w0: held'], report);
    assert.deepEqual(found, []);
    checkStatusSays([{ url: 'a', cause: 'has failed' }], [], report);
    assert.equal(found.length, 1);
  });
});
