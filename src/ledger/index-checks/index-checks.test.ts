import assert from 'node:assert/strict';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  crawled,
  DAY,
  HOUR,
  sendAll,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { Verdict } from '../../submission/answer.ts';
import type { IndexCheckPolicy } from '../../submission/check-schedule.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { settleJob } from '../jobs/settle-job.ts';
import { planRun } from '../plans/make-plan.ts';
import { surveyDue } from '../plans/survey-due.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { findWatch } from '../runs/watches.ts';
import { beginCheck } from './begin-check.ts';
import { recordCheck } from './record-check.ts';

const policy: IndexCheckPolicy = {
  afterMs: 3 * DAY,
  everyMs: 7 * DAY,
  stopWhenFound: true,
  sample: 1,
  perDay: null,
  resubmitAfter: null,
};
const asking = (over: Partial<IndexCheckPolicy> = {}) => ({
  account: ACCOUNT,
  watch: WATCH.id,
  policy: { ...policy, ...over },
});
const checked = (urls: readonly Url[], verdict: Verdict) =>
  ({
    kind: 'checked',
    chargeState: 'charged',
    results: urls.map((url) => ({ url, verdict, word: verdict })),
    charged: null,
    balance: null,
    usable: true,
  }) as const;

/** Completed URLs, so many. */
async function completed(ledger: TestLedger, count: number): Promise<void> {
  await crawled(ledger, 'r1', { a: Array.from({ length: count }, (_, n) => `${n}`) });
  await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
  for (const reference of await sendAll(ledger)) {
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: { times: 0, afterMs: 0 } });
  }
  await endRun(ledger, 'r1' as RunId, 'finished');
}

/** Checks all that is due; the number of URLs of each check. */
async function checkAll(ledger: TestLedger, verdict: Verdict, over: Partial<IndexCheckPolicy> = {}): Promise<number[]> {
  const sizes: number[] = [];
  for (;;) {
    const turn = await beginCheck(ledger, asking(over));
    if (turn.kind !== 'send') return sizes;
    sizes.push(turn.urls.length);
    const answer = { attempt: turn.attempt, outcome: checked(turn.urls, verdict), requestId: 'q' };
    await recordCheck(ledger, turn.check, answer, { ...policy, ...over });
  }
}

testLedger('URLs are checked after the wait, at most 50 at a time, and not again before their time', async (ledger) => {
  await completed(ledger, 120);
  assert.deepEqual(await checkAll(ledger, 'not-found'), []);
  ledger.pass(3 * DAY);
  assert.deepEqual(await checkAll(ledger, 'not-found'), [50, 50, 20]);
  assert.deepEqual(await checkAll(ledger, 'not-found'), []);
  ledger.pass(7 * DAY);
  assert.deepEqual(await checkAll(ledger, 'found'), [50, 50, 20]);
  ledger.pass(300 * DAY);
  assert.deepEqual(await checkAll(ledger, 'found'), [], 'found URLs stop');
  const [story] = await getUrlHistory(ledger, 'https://shop.example/7' as Url);
  assert.deepEqual(
    story!.checks.map(({ result }) => result),
    ['not-found', 'found'],
  );
});

testLedger('the daily budget of checks holds, whatever is due', async (ledger) => {
  await completed(ledger, 60);
  ledger.pass(3 * DAY);
  const perDay = 10_000_000 as Micros;
  assert.deepEqual(await checkAll(ledger, 'not-found', { perDay }), [20]);
  const refused = await beginCheck(ledger, asking({ perDay }));
  assert.equal(refused.kind === 'not-allowed' && refused.until, Date.UTC(2026, 0, 19));
  ledger.pass(DAY);
  assert.deepEqual(await checkAll(ledger, 'not-found', { perDay }), [20]);
});

testLedger('a check without an answer is sent again with the same bytes and key, and charged once', async (ledger) => {
  await completed(ledger, 3);
  ledger.pass(3 * DAY);
  const first = await beginCheck(ledger, asking());
  const again = await beginCheck(ledger, asking());
  assert.ok(first.kind === 'send' && again.kind === 'send');
  assert.deepEqual([again.key, again.body, again.inDoubt], [first.key, first.body, true]);
  const answer = { attempt: 2, outcome: checked(again.urls, 'found'), requestId: null };
  const results = await Promise.all([1, 2].map(() => recordCheck(ledger, again.check, answer, policy)));
  assert.deepEqual(results[0], results[1]);
  const spent = await getAccountTotals(ledger, ACCOUNT.id);
  assert.equal(spent.chargedEver, 750_000 + 1_500_000);
});

testLedger(
  'a 503 is retried later and charges nothing; an answer that never comes counts as charged',
  async (ledger) => {
    await completed(ledger, 1);
    ledger.pass(3 * DAY);
    const before = (await getAccountTotals(ledger, ACCOUNT.id)).chargedEver;
    const turn = await beginCheck(ledger, asking());
    assert.ok(turn.kind === 'send');
    const later = { kind: 'retry', why: 'unavailable', chargeState: 'none', retryAfterMs: HOUR, message: 'x' } as const;
    await recordCheck(ledger, turn.check, { attempt: 1, outcome: later, requestId: null }, policy);
    assert.equal((await beginCheck(ledger, asking())).kind, 'wait');
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, before);
    ledger.pass(HOUR);
    assert.equal((await beginCheck(ledger, asking())).kind, 'send');
    ledger.pass(21 * HOUR);
    assert.equal((await beginCheck(ledger, asking())).kind, 'idle');
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, before + 500_000);
  },
);

testLedger('a refused URL is found by halves, and the others are checked', async (ledger) => {
  await completed(ledger, 50);
  ledger.pass(3 * DAY);
  const bad = 'https://shop.example/33';
  let seen = 0;
  for (let asked = 0; asked < 100; asked++) {
    const turn = await beginCheck(ledger, asking());
    if (turn.kind !== 'send') break;
    const none = { chargeState: 'none', message: 'bad' } as const;
    const has = turn.urls.includes(bad as Url);
    if (!has) seen += turn.urls.length;
    const outcome = !has
      ? checked(turn.urls, 'found')
      : turn.urls.length > 1
        ? ({ kind: 'split', why: 'invalid', ...none } as const)
        : ({ kind: 'quarantine', rejected: [{ url: bad, reason: 'bad' }], ...none } as const);
    await recordCheck(ledger, turn.check, { attempt: turn.attempt, outcome, requestId: null }, policy);
  }
  assert.equal(seen, 49);
  assert.equal((await beginCheck(ledger, asking())).kind, 'idle');
});

testLedger('a URL never found is due for one more submission, once', async (ledger) => {
  await completed(ledger, 2);
  const due = async () =>
    (await surveyDue(ledger.db, (await findWatch(ledger.db, WATCH.id))!, null, ledger.now())).counts['not-found'];
  for (const expected of [0, 2, 2]) {
    ledger.pass(10 * DAY);
    await checkAll(ledger, 'not-found', { resubmitAfter: 2 });
    assert.equal(await due(), expected);
  }
});

testLedger('a sample checks the same URLs for ever', async (ledger) => {
  await completed(ledger, 200);
  ledger.pass(3 * DAY);
  const some = (await checkAll(ledger, 'not-found', { sample: 0.25 })).reduce((a, b) => a + b, 0);
  assert.ok(some > 20 && some < 90, `${some} of 200`);
  ledger.pass(20 * DAY);
  assert.equal(
    (await checkAll(ledger, 'not-found', { sample: 0.25 })).reduce((a, b) => a + b, 0),
    some,
  );
});
