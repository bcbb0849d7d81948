import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import { testOnEach } from '../../test/support/database.ts';
import { ACCOUNT, type TestLedger, WATCH } from '../../test/support/ledger.ts';
import { type Inhabitant, LedgerLife } from '../../test/support/ledger-life.ts';
import { seeded } from '../../test/support/seeded.ts';
import { openDatabase } from '../database/open.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { ledgerOver } from './open-ledger.ts';

const SEEDS = Number(process.env.COURIER_TEST_SEEDS ?? 2);
const ACTS = 150;

const withCaps = { ...ACCOUNT, spend: { perDay: 6_000_000 as Micros, perMonth: null, balanceFloor: 0 as Micros } };
const inhabitant = (account: string, watch: string, more: Partial<Inhabitant>): Inhabitant => ({
  account: { ...withCaps, id: account as AccountId },
  watch: { ...WATCH, id: watch as WatchId, project: `Project ${watch}` },
  folder: 'p',
  calm: false,
  ...more,
});

/** Both at one service, with the same pages. */
const IN_TWO_ACCOUNTS = [inhabitant('main', 'shop', {}), inhabitant('other', 'news', {})];
/** Without a cap that they share. */
const IN_ONE_ACCOUNT = ['shop', 'news'].map((watch) =>
  inhabitant('main', watch, { account: ACCOUNT, folder: watch, calm: true }),
);

async function openLife(db: Parameters<typeof ledgerOver>[0]): Promise<TestLedger> {
  let time = Date.UTC(2026, 0, 15, 12);
  const ledger = await ledgerOver(db, () => time);
  return {
    ...ledger,
    pass(ms) {
      time += ms;
    },
  };
}

/** The life of each, act by act, in a ledger that they share, or in one of its own. */
async function live(ledger: TestLedger, all: readonly Inhabitant[], lives: readonly number[], seed: number) {
  const times = all.map(() => ledger.now());
  const each = all.map((who, n) => {
    // Each on a clock of its own, as if no other were there.
    const own: TestLedger = {
      ...ledger,
      now: () => times[n]!,
      pass(ms) {
        times[n]! += ms;
      },
    };
    return new LedgerLife(own, who, seeded(100 * seed + n));
  });
  const reported: unknown[][] = all.map(() => []);
  for (let act = 0; act < ACTS; act++) for (const n of lives) reported[n]!.push(await each[n]!.act());
  return reported;
}

describe('neighbours in a ledger', () => {
  for (const [name, all] of [
    ['another account, with the same pages and job numbers', IN_TWO_ACCOUNTS],
    ['another watch of its account', IN_ONE_ACCOUNT],
  ] as const) {
    testOnEach(`what is reported to a watch, and what it buys, does not change by ${name}`, async (db, t, url) => {
      const seeds = url.startsWith('postgres') ? 1 : SEEDS;
      for (let seed = 1; seed <= seeds; seed++) {
        const ledgers = [seed === 1 ? db : openDatabase('sqlite::memory:')];
        for (const _ of all) ledgers.push(openDatabase('sqlite::memory:'));
        t.after(() => Promise.all(ledgers.map((each) => each === db || each.close())));
        const together = await live(await openLife(ledgers[0]!), all, [...all.keys()], seed);
        for (const n of all.keys()) {
          const alone = await live(await openLife(ledgers[n + 1]!), all, [n], seed);
          for (let act = 0; act < ACTS; act++)
            assert.deepEqual(together[n]![act], alone[n]![act], `seed ${seed}, watch ${n}, act ${act}`);
        }
      }
    });
  }
});
