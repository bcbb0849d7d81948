import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { negateMicros, parseTry, sumMicros, ZERO } from '../../../contract/money.ts';
import type { Account } from '../../config/config.ts';
import type { AccountTotals } from '../../ledger/reports/totals.ts';
import { listAccountLines, listProblemLines, listWatchLines, type WatchOnPage } from './status-screen.ts';

const lira = (text: string) => parseTry(`${text} TRY`)!;

/** The first line of an account with a balance of 20.00 TRY, of which 2.00 TRY are committed. */
function readMoney(floor: string, committed = '2'): string {
  const totals = {
    ...{ balance: lira('20'), balanceAt: 0, chargedSinceBalance: ZERO, committed: lira(committed) },
    left: sumMicros(lira('20'), negateMicros(lira(committed))),
    ...{ chargedToday: ZERO, chargedThisMonth: ZERO, chargedEver: ZERO, unknownChargeUrls: 0 },
    ...{ waiting: 0, inDoubt: 0, oldestInDoubtAt: null, open: 0, needsReview: 0, unread: 0 },
  } as unknown as AccountTotals;
  const spend = { perDay: null, perMonth: null, perRun: null, balanceFloor: lira(floor) };
  return listAccountLines({ id: 'main', spend } as unknown as Account, totals)[0]!;
}

describe('the money of an account', () => {
  test('is what is left of the balance where no floor is set', () => {
    assert.match(readMoney('0'), /committed 2\.00 TRY; 18\.00 TRY left$/);
  });

  test('is what is left above the floor', () => {
    assert.match(readMoney('15'), /; 3\.00 TRY left above its floor of 15\.00 TRY$/);
    assert.match(readMoney('18'), /; 0\.00 TRY left above its floor of 18\.00 TRY$/);
  });

  test('says how much is missing below the floor', () => {
    assert.match(readMoney('25'), /; 7\.00 TRY below its floor of 25\.00 TRY$/);
    assert.match(readMoney('0', '50'), /committed 50\.00 TRY; 30\.00 TRY short$/);
  });
});

describe('the watches on a screen', () => {
  const makePages = (count: number, troubled: number): WatchOnPage[] =>
    Array.from({ length: count }, (_, n) => ({
      ...{ watch: undefined, failing: null, nextRunAt: null, needsYou: n < troubled },
      state: { id: `site${n}`, held: [], last: null, figures: { keptBackUrls: 0, quarantinedUrls: 0 } } as never,
    }));

  test('are all of them, where they fit', () => {
    assert.equal(listWatchLines(makePages(20, 0), false).length, 20);
  });

  test('are those in trouble where they do not: none of these counts as well', () => {
    assert.deepEqual(listWatchLines(makePages(500, 0), false), ['  500 watches, all well: courier status --all']);
    assert.equal(listWatchLines(makePages(500, 2), false).at(-1), '  … and 498 more, all well: courier status --all');
    assert.equal(
      listWatchLines(makePages(500, 490), false).at(-1),
      '  … and 480 more, 470 of them not well: courier status --all',
    );
  });
});

describe('what needs you', () => {
  const makeProblems = (count: number, problem: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => ({ subject: `site${n}`, problem: problem(n), exitCode: 3 }) as const);

  test('names the same problem of several once', () => {
    const [line, ...more] = listProblemLines(
      makeProblems(500, () => 'no run'),
      false,
    );
    assert.equal(line, '  site0, site1, site2 and 497 more: no run');
    assert.deepEqual(more, []);
  });

  test('names each that is to be decided by itself', () => {
    const held = makeProblems(2, () => 'held').map((each) => ({ ...each, lines: ['held', `approve ${each.subject}`] }));
    assert.deepEqual(listProblemLines(held, false), [
      '  site0: held',
      '    approve site0',
      '  site1: held',
      '    approve site1',
    ]);
  });

  test('is cut to a screen, and all of it where that is asked for', () => {
    const problems = makeProblems(12, (n) => `problem ${n}`);
    assert.equal(listProblemLines(problems, false).at(-1), '  … and 2 more: courier status --check');
    assert.equal(listProblemLines(problems, true).length, 12);
  });
});
