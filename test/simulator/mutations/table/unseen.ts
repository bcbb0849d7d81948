// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { BATCHES, MONEY } from './folders.ts';
import type { Mutation } from './mutation.ts';

/**
 * Twelve harmful mistakes that nobody had chosen to be found, and that neither tests nor seeds found: npm run simulate:mutations --
 * --kind mixed --only 'unseen'.
 */
export const UNSEEN: readonly Mutation[] = [
  {
    name: 'unseen: the caps of the account are not asked for index-checks',
    file: 'src/ledger/index-checks/begin-check.ts',
    from: 'await buildSpendQuestion(tx, account, { ...spend, perRun: null }, scope, now),',
    to: 'await buildSpendQuestion(tx, { ...account, spend: { ...account.spend, perDay: null, perMonth: null } }, { ...spend, perRun: null }, scope, now),',
    also: [
      {
        file: 'src/ledger/index-checks/begin-check.ts',
        from: 'await buildSpendQuestion(tx, account, ofChecks, { ...scope, ofChecks: true }, now),',
        to: 'await buildSpendQuestion(tx, { ...account, spend: { ...account.spend, perDay: null, perMonth: null } }, ofChecks, { ...scope, ofChecks: true }, now),',
      },
    ],
  },
  {
    name: 'unseen: the floor for index-checks by an old balance',
    file: 'src/ledger/index-checks/begin-check.ts',
    from: "count: 'all', except, sendsNow: true } as const;",
    to: "count: 'all', except, sendsNow: false } as const;",
  },
  {
    name: 'unseen: failed pages are checked, and paid for',
    file: 'src/ledger/jobs/assign-results.ts',
    from: "WHERE m.batch_id = ${batch} AND m.result = 'completed' AND ${which}\n    ON CONFLICT",
    to: "WHERE m.batch_id = ${batch} AND m.result IN ('completed', 'failed') AND ${which}\n    ON CONFLICT",
  },
  {
    name: 'unseen: a 402 is tried again at once',
    file: `${BATCHES}/record-answer.ts`,
    from: 'attempts < 2 ? null : {',
    to: 'attempts >= 0 ? null : {',
  },
  {
    name: 'unseen: failures never begin again at zero',
    file: 'src/ledger/jobs/assign-results.ts',
    from: 'reason_params = NULL, failures = 0, completed_at = ${now}',
    to: 'reason_params = NULL, completed_at = ${now}',
  },
  {
    name: 'unseen: other spellings keep the case of the path',
    file: 'src/url/spellings.ts',
    from: 'url.pathname = url.pathname.toLowerCase();',
    to: 'url.pathname = `${url.pathname}`;',
  },
  {
    name: 'unseen: the looser of per_run and --max-cost',
    file: 'src/submission/caps.ts',
    from: 'return b === null || a < b ? a : b;',
    to: 'return b === null || a > b ? a : b;',
  },
  {
    name: 'unseen: the floor leaves out what is on its way',
    file: `${MONEY}/balance.ts`,
    from: 'return micros(balance.amount - counted - committed);',
    to: 'return micros(balance.amount - counted);',
  },
  {
    name: 'unseen: a charge counts on the day of its plan',
    file: `${BATCHES}/accept-batch.ts`,
    from: 'day: getChargeDay(times, now),',
    to: 'day: getChargeDay({ createdAt: null, sentAt: row.planned_at, attempts: 1 }, now),',
  },
  {
    name: 'unseen: parts of a batch that was accepted late are sent',
    file: `${BATCHES}/accept-batch.ts`,
    from: "await reviewUnsentParts(tx, row, now, { code: 'parent_accepted', batch: row.id });",
    to: '',
  },
  {
    name: 'unseen: an old absence counts after a new attempt',
    file: `${BATCHES}/transitions.ts`,
    from: '    assignWait(null),\n    sql`absent_at = NULL`,\n    sql`attempts = attempts + 1`,',
    to: '    assignWait(null),\n    sql`attempts = attempts + 1`,',
  },
  {
    name: 'unseen: the price of whatever level was learned last',
    file: `${MONEY}/price.ts`,
    from: 'SELECT price FROM prices WHERE account_id = ${account} AND service = ${service}`);',
    to: 'SELECT price FROM prices WHERE account_id = ${account} ORDER BY learned_at DESC LIMIT 1`);',
  },
];
