// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files

import { JOURNAL, MONEY, SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { READS_NO_SHOWN_PRICE } from './second-layers.ts';

/** Caps, the floor, prices and the balance. */
export const CAPS_AND_BALANCE: readonly Mutation[] = [
  {
    name: 'does not count what is on its way',
    file: `${JOURNAL}/sums.ts`,
    from: "sql`bucket = 'sent'`",
    to: "sql`bucket = 'none'`",
    needs: ['in doubt beside a cap'],
  },
  {
    name: 'counts the charges of one watch for the account',
    file: `${JOURNAL}/sums.ts`,
    from: 'WHERE account_id = ${account} AND day >= ${from}`',
    to: 'WHERE account_id = ${account} AND watch_id = 1 AND day >= ${from}`',
    needs: ['cap perDay', 'two watches'],
  },
  {
    name: 'begins the day an hour ago',
    file: `${JOURNAL}/days.ts`,
    from: 'return Math.floor(now / DAY_MS) * DAY_MS;',
    to: 'return now - 3_600_000;',
    needs: ['cap perDay', 'long'],
  },
  {
    name: 'ignores the cap of the account',
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('account', 'day', account.caps.perDay, account.spent.day);",
    to: '',
  },
  {
    name: 'ignores the floor',
    file: `${SUBMISSION}/caps.ts`,
    from: 'const left = atLeastZero(balance - floor);',
    to: 'const left = atLeastZero(balance);',
    needs: ['raise floor'],
  },
  {
    name: 'ignores the cap of a run',
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('watch', 'run', watch.caps.perRun, watch.spent.run);",
    to: '',
  },
  {
    name: "ignores a watch's cap of the day",
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('watch', 'day', watch.caps.perDay, watch.spent.day);",
    to: '',
  },
  {
    name: "ignores a watch's cap of the month",
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('watch', 'month', watch.caps.perMonth, watch.spent.month);",
    to: '',
    needs: ['cap watchPerMonth'],
  },
  {
    name: "ignores the account's cap of the month",
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('account', 'month', account.caps.perMonth, account.spent.month);",
    to: '',
  },
  {
    name: 'begins the month today',
    file: `${JOURNAL}/days.ts`,
    from: 'return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);',
    to: 'return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());',
    needs: ['cap of a month on its second day'],
  },
  {
    name: 'does not learn a price that rises',
    file: `${MONEY}/price.ts`,
    from: 'if (charge <= 0 || urls < 1) return;',
    to: 'if (charge <= 0 || urls < 1 || charge / urls > 250_000) return;',
    also: [READS_NO_SHOWN_PRICE],
    needs: ['old answer after a rise'],
  },
  {
    name: 'sends at the price of the plan',
    file: `${MONEY}/price.ts`,
    from: 'return maxMicros(timesMicros(perUrl, batch.urls), batch.expected_cost ?? ZERO);',
    to: 'return batch.expected_cost ?? timesMicros(perUrl, batch.urls);',
    needs: ['price rises while a batch waits'],
  },
  {
    name: 'leaves charges since the balance was read on it (fixed: money 1)',
    file: `${MONEY}/balance.ts`,
    from: 'return micros(balance.amount - counted - committed);',
    to: 'return micros(balance.amount - committed);',
    needs: ['raise floor', 'two watches'],
  },
  {
    name: 'keeps the floor by a balance of any age (fixed: money 1)',
    file: `${MONEY}/balance.ts`,
    from: 'if (now - at >= FRESH_MS || at > now + CLOCK_ERROR_MS) return false;',
    to: '',
    needs: ['old balance beside a floor'],
  },
  {
    name: 'does not count a batch in review that may be charged (fixed: money 2)',
    file: 'src/ledger/purchases/follow-state.ts',
    from: "return in_doubt_since === null ? null : 'sent';",
    to: 'return null;',
    needs: ['in review beside a cap'],
  },
];
