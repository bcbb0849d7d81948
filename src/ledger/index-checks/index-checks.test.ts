import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  crawled,
  DAY,
  HOUR,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { Verdict } from '../../submission/answer.ts';
import type { IndexCheckPolicy } from '../../submission/check-schedule.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import { findWatch } from '../accounts/watches.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { recordUrlResults, settleJob } from '../jobs/settle-job.ts';
import { recordBalance } from '../money/balance.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import { planRun } from '../plans/make-plan.ts';
import { surveyDue } from '../plans/survey-due.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
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
  spend: WATCH.spend,
  policy: { ...policy, ...over },
});
const checked = (urls: readonly Url[], verdict: Verdict) =>
  ({
    kind: 'checked',
    chargeState: 'charged',
    results: urls.map((url) => ({ url, verdict, statusName: verdict })),
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

describe('index checks', () => {
  testLedger(
    'URLs are checked when due, at most 50 at a time, and not again before the next due time',
    async (ledger) => {
      await completed(ledger, 120);
      assert.deepEqual(await checkAll(ledger, 'not-found'), []);
      ledger.pass(3 * DAY);
      assert.deepEqual(await checkAll(ledger, 'not-found'), [50, 50, 20]);
      assert.deepEqual(await checkAll(ledger, 'not-found'), []);
      ledger.pass(7 * DAY);
      assert.deepEqual(await checkAll(ledger, 'found'), [50, 50, 20]);
      ledger.pass(300 * DAY);
      assert.deepEqual(await checkAll(ledger, 'found'), [], 'found URLs stop');
      const [history] = await getUrlHistory(ledger, 'https://shop.example/7' as Url);
      assert.deepEqual(
        history!.checks.map(({ result }) => result),
        ['not-found', 'found'],
      );
    },
  );

  testLedger('the daily check budget holds, however many URLs are due', async (ledger) => {
    await completed(ledger, 60);
    ledger.pass(3 * DAY);
    const perDay = 10_000_000 as Micros;
    assert.deepEqual(await checkAll(ledger, 'not-found', { perDay }), [20]);
    const refused = await beginCheck(ledger, asking({ perDay }));
    assert.equal(refused.kind === 'not-allowed' && refused.until, Date.UTC(2026, 0, 19));
    ledger.pass(DAY);
    assert.deepEqual(await checkAll(ledger, 'not-found', { perDay }), [20]);
  });

  testLedger(
    'a check without a response is sent again with the same bytes and key, and charged once',
    async (ledger) => {
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
    },
  );

  for (const [shown, verdict, counted, what] of [
    [500_000, 'found', 1_500_000, 'the price of one URL is that of each'],
    [1_500_000, 'found', 1_500_000, 'the charge of all of them is that'],
    [20_000, 'found', 1_500_000, 'less than its verdicts cost leaves no room for another check'],
    [500_001, 'unknown', 1_500_000, 'without one readable verdict all that were asked for count'],
    [150_000_000, 'found', 1_500_000, 'a hundred times as much is misread'],
  ] as const) {
    testLedger(`a charge of ${shown} for three URLs: ${what}`, async (ledger) => {
      await completed(ledger, 3);
      ledger.pass(4 * DAY);
      const turn = await beginCheck(ledger, asking());
      assert.ok(turn.kind === 'send');
      const outcome = { ...checked(turn.urls, verdict), charged: shown as Micros };
      await recordCheck(ledger, turn.check, { attempt: turn.attempt, outcome, requestId: 'q' }, policy);
      const { counted: sum } = await ledger.db.one(sql<{ counted: number }>`
        SELECT sum(counted) AS counted FROM journal_totals WHERE kind = 'check'`);
      assert.equal(sum, counted);
    });
  }

  testLedger('what was given back for URLs without a verdict is free again', async (ledger) => {
    await completed(ledger, 3);
    ledger.pass(4 * DAY);
    const turn = await beginCheck(ledger, asking());
    assert.ok(turn.kind === 'send');
    const [first, ...others] = turn.urls;
    const results = [...checked([first!], 'found').results, ...checked(others, 'unknown').results];
    const outcome = { ...checked([], 'found'), results, charged: 500_001 as Micros };
    await recordCheck(ledger, turn.check, { attempt: turn.attempt, outcome, requestId: 'q' }, policy);
    const { counted } = await ledger.db.one(sql<{ counted: number }>`
      SELECT sum(counted) AS counted FROM journal_totals WHERE kind = 'check'`);
    assert.equal(counted, 500_001);
  });

  testLedger('a 503 is retried later and charges nothing; a missing response counts as charged', async (ledger) => {
    await completed(ledger, 1);
    ledger.pass(3 * DAY);
    const before = (await getAccountTotals(ledger, ACCOUNT.id)).chargedEver;
    const turn = await beginCheck(ledger, asking());
    assert.ok(turn.kind === 'send');
    const later = {
      kind: 'retry',
      why: 'unavailable',
      chargeState: 'none',
      retryAfterMs: HOUR,
      message: 'x',
    } as const;
    await recordCheck(ledger, turn.check, { attempt: 1, outcome: later, requestId: null }, policy);
    assert.equal((await beginCheck(ledger, asking())).kind, 'wait');
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, before);
    ledger.pass(HOUR);
    assert.equal((await beginCheck(ledger, asking())).kind, 'send');
    ledger.pass(21 * HOUR);
    assert.equal((await beginCheck(ledger, asking())).kind, 'idle');
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, before + 500_000);
  });

  testLedger(
    'a check that was sent under a clock which was ahead counts as charged, and is not sent again',
    async (ledger) => {
      await completed(ledger, 1);
      ledger.pass(6 * DAY);
      const before = (await getAccountTotals(ledger, ACCOUNT.id)).chargedEver;
      assert.equal((await beginCheck(ledger, asking())).kind, 'send');
      ledger.pass(-2 * DAY);
      assert.equal((await beginCheck(ledger, asking())).kind, 'idle');
      assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, before + 500_000);
    },
  );

  testLedger('bisection finds a rejected URL, and the others are checked', async (ledger) => {
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

  testLedger('a URL that is named in its first check waits a month, and the others do not', async (ledger) => {
    await completed(ledger, 3);
    ledger.pass(3 * DAY);
    const step = await beginCheck(ledger, asking());
    assert.ok(step.kind === 'send');
    const rejected = [{ url: step.urls[1]!, reason: 'unreachable' }];
    const outcome = { kind: 'quarantine', rejected, chargeState: 'none', message: 'no' } as const;
    await recordCheck(ledger, step.check, { attempt: step.attempt, outcome, requestId: null }, policy);
    const dueAt = async (url: Url) => (await getUrlHistory(ledger, url))[0]!.nextCheckAt;
    assert.equal(await dueAt(step.urls[1]!), ledger.now() + 30 * DAY);
    for (const url of [step.urls[0]!, step.urls[2]!]) assert.ok((await dueAt(url))! <= ledger.now());
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

  testLedger(
    'a found URL that is not found later counts as not found, and an unknown result changes nothing',
    async (ledger) => {
      await completed(ledger, 1);
      const states: unknown[] = [];
      for (const verdict of ['found', 'unknown', 'not-found', 'unknown'] as const) {
        ledger.pass(8 * DAY);
        assert.deepEqual(await checkAll(ledger, verdict, { stopWhenFound: false }), [1]);
        const row = await ledger.db.one(sql<{ found_at: number | null; misses: number; checks: number }>`
        SELECT found_at, misses, checks FROM check_queue`);
        states.push([row.found_at === null, row.misses, row.checks]);
      }
      assert.deepEqual(states, [
        [false, 0, 1],
        [false, 0, 2],
        [true, 1, 3],
        [true, 1, 4],
      ]);
    },
  );

  testLedger('a policy that checks less often counts from the last check', async (ledger) => {
    await completed(ledger, 1);
    ledger.pass(3 * DAY);
    assert.deepEqual(await checkAll(ledger, 'not-found'), [1]);
    ledger.pass(29 * DAY);
    assert.deepEqual(await checkAll(ledger, 'not-found', { everyMs: 30 * DAY }), []);
    ledger.pass(DAY);
    assert.deepEqual(await checkAll(ledger, 'not-found', { everyMs: 30 * DAY }), [1]);
  });

  testLedger('a sample always checks the same URLs', async (ledger) => {
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

  /** Answers each check in turn until none is sent; returns how many URLs each had. */
  async function rejectAll(ledger: TestLedger, checks: number): Promise<number[]> {
    const sizes: number[] = [];
    for (let n = 0; n < checks; n++) {
      const begun = await beginCheck(ledger, asking());
      if (begun.kind !== 'send') return sizes;
      sizes.push(begun.urls.length);
      const none = { chargeState: 'none', message: 'suspended' } as const;
      const outcome =
        begun.urls.length > 1
          ? ({ kind: 'split', why: 'invalid', ...none } as const)
          : ({ kind: 'quarantine', rejected: [{ url: begun.urls[0]!, reason: 'suspended' }], ...none } as const);
      await recordCheck(ledger, begun.check, { attempt: begun.attempt, outcome, requestId: null }, policy);
    }
    return sizes;
  }

  testLedger(
    'a service that rejects every check gets a few requests, and every URL is checked later',
    async (ledger) => {
      await completed(ledger, 200);
      ledger.pass(3 * DAY);
      const requests = await rejectAll(ledger, 300);
      assert.ok(requests.length < 20, `${requests.length} requests`);
      const stopped = await beginCheck(ledger, asking());
      assert.ok(stopped.kind === 'stopped');
      assert.match(stopped.reason, /no URL was given up/);
      ledger.pass(DAY);
      assert.deepEqual(await rejectAll(ledger, 300), [1], 'one URL is tried each day');
      ledger.pass(DAY);
      const sizes = await checkAll(ledger, 'found');
      assert.equal(sizes[0], 1);
      ledger.pass(31 * DAY);
      sizes.push(...(await checkAll(ledger, 'found')));
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        200,
      );
    },
  );

  testLedger('an open check is not sent to the account that its watch moved to', async (ledger) => {
    await completed(ledger, 2);
    ledger.pass(3 * DAY);
    const other = { ...ACCOUNT, id: 'second' as typeof ACCOUNT.id };
    const first = await beginCheck(ledger, asking());
    const moved = await beginCheck(ledger, { ...asking(), account: other });
    assert.ok(first.kind === 'send' && moved.kind === 'idle', 'its URLs are checked again on their schedule');
    const [one, two] = [await getAccountTotals(ledger, ACCOUNT.id), await getAccountTotals(ledger, other.id)];
    assert.deepEqual([one.chargedEver, two.chargedEver], [500_000 + 1_000_000, 0], 'it counts where it was sent');
  });

  for (const [cap, days, submitted] of [
    ['perDay', 4, 0],
    ['perMonth', 3, 1_000_000],
  ] as const) {
    testLedger(`${cap} of the watch holds for its checks, and counts its submissions`, async (ledger) => {
      await completed(ledger, 4);
      ledger.pass(days * DAY);
      const spend = { ...WATCH.spend, [cap]: (submitted + 1_000_000) as Micros };
      const begun = await beginCheck(ledger, { ...asking(), spend });
      assert.ok(begun.kind === 'send' && begun.urls.length === 2, 'two at 0.50 TRY');
      const outcome = checked(begun.urls, 'found');
      await recordCheck(ledger, begun.check, { attempt: 1, outcome, requestId: null }, policy);
      const refused = await beginCheck(ledger, { ...asking(), spend });
      assert.ok(refused.kind === 'not-allowed', refused.kind);
      assert.ok(refused.refusal.reason.code === 'cap_reached' && refused.refusal.reason.scope === 'watch');
    });
  }

  testLedger('a check in flight is committed, also when its watch is gone', async (ledger) => {
    await completed(ledger, 2);
    ledger.pass(40 * DAY);
    assert.equal((await beginCheck(ledger, asking())).kind, 'send');
    ledger.pass(40 * DAY);
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).committed, 1_000_000);
  });

  testLedger('a check in flight counts in the caps of a watch that has left its account', async (ledger) => {
    await completed(ledger, 2);
    ledger.pass(40 * DAY);
    assert.equal((await beginCheck(ledger, asking())).kind, 'send');
    const caps = { perRun: null, perDay: 9_000_000 as Micros, perMonth: 9_000_000 as Micros };
    const watchId = (await findWatch(ledger.db, WATCH.id))!;
    const scope = { watchId, runId: null, count: 'on their way' } as const;
    const ask = async (account: typeof ACCOUNT) =>
      (await buildSpendQuestion(ledger.db, account, caps, scope, ledger.now())).watch.spent;
    assert.equal((await ask(ACCOUNT)).day, 1_000_000);
    const { day, month } = await ask({ ...ACCOUNT, id: 'second' as typeof ACCOUNT.id });
    assert.deepEqual([day, month], [1_000_000, 1_000_000]);
  });

  testLedger('an unsent check continues with the currently configured account', async (ledger) => {
    await completed(ledger, 2);
    ledger.pass(3 * DAY);
    const first = await beginCheck(ledger, asking());
    assert.ok(first.kind === 'send');
    const suspended = { kind: 'suspend', chargeState: 'none', message: 'no money' } as const;
    await recordCheck(ledger, first.check, { attempt: 1, outcome: suspended, requestId: null }, policy);
    const other = { ...ACCOUNT, baseUrl: 'https://other.example/api/v1' };
    const moved = await beginCheck(ledger, { ...asking(), account: other });
    assert.ok(moved.kind === 'send');
    assert.notEqual(moved.key, first.key);
    assert.deepEqual(moved.urls, first.urls);
  });

  testLedger('a planned check that a lowered budget no longer allows becomes smaller', async (ledger) => {
    await completed(ledger, 50);
    ledger.pass(3 * DAY);
    const first = await beginCheck(ledger, asking());
    assert.ok(first.kind === 'send' && first.urls.length === 50);
    const suspended = { kind: 'suspend', chargeState: 'none', message: 'no money' } as const;
    await recordCheck(ledger, first.check, { attempt: 1, outcome: suspended, requestId: null }, policy);
    const smaller = await beginCheck(ledger, asking({ perDay: 5_000_000 as Micros }));
    assert.equal(smaller.kind === 'send' && smaller.urls.length, 10);
  });

  testLedger(
    'after a charged response that cannot be parsed, checks stop for a day, then try one URL',
    async (ledger) => {
      await completed(ledger, 120);
      ledger.pass(3 * DAY);
      const answer = async (usable: boolean) => {
        const begun = await beginCheck(ledger, asking());
        if (begun.kind !== 'send') return begun;
        const outcome = { ...checked(begun.urls, usable ? 'found' : 'unknown'), usable };
        await recordCheck(ledger, begun.check, { attempt: begun.attempt, outcome, requestId: null }, policy);
        return begun.urls.length;
      };
      assert.equal(await answer(false), 50);
      const stopped = await answer(false);
      assert.ok(typeof stopped === 'object' && stopped.kind === 'stopped');
      assert.match(stopped.reason, /50 URLs were checked and paid, and none of the results/);
      ledger.pass(DAY);
      assert.equal(await answer(false), 1);
      assert.equal(typeof (await answer(false)), 'object');
      ledger.pass(DAY);
      assert.equal(await answer(true), 1);
      assert.equal(await answer(true), 50, 'what can be read continues as before');
    },
  );

  testLedger("the account's caps hold for checks, too, and the rest is checked a day later", async (ledger) => {
    await completed(ledger, 20);
    ledger.pass(3 * DAY);
    const spend = { ...ACCOUNT.spend, perDay: 3_000_000 as Micros };
    const account = { ...ACCOUNT, spend };
    for (const expected of [6, 6, 6, 2]) {
      const turn = await beginCheck(ledger, { ...asking(), account });
      assert.equal(turn.kind === 'send' && turn.urls.length, expected);
      if (turn.kind !== 'send') return;
      const answer = { attempt: turn.attempt, outcome: checked(turn.urls, 'not-found'), requestId: null };
      await recordCheck(ledger, turn.check, answer, policy);
      if (expected === 6) {
        const refused = await beginCheck(ledger, { ...asking(), account });
        assert.match(
          refused.kind === 'not-allowed' ? refused.refusal.message : refused.kind,
          /account per day of 3.00/,
        );
      }
      ledger.pass(DAY);
    }
    const monthly = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perMonth: 3_000_000 as Micros } };
    ledger.pass(6 * DAY);
    const none = await beginCheck(ledger, { ...asking(), account: monthly });
    assert.match(none.kind === 'not-allowed' ? none.refusal.message : none.kind, /account per month of 3.00/);
  });

  testLedger('a floor holds for checks: with a balance that is old or not known none is sent', async (ledger) => {
    await completed(ledger, 20);
    ledger.pass(3 * DAY);
    const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, balanceFloor: 100_000_000 as Micros } };
    const begin = () => beginCheck(ledger, { ...asking(), account });
    const why = async () => {
      const turn = await begin();
      return turn.kind === 'not-allowed' ? turn.refusal.reason.code : turn.kind;
    };
    assert.equal(await why(), 'balance_unknown');
    await recordBalance(ledger, ACCOUNT.id, 500_000_000 as Micros, ledger.now() - HOUR);
    assert.equal(await why(), 'balance_unknown');
    await recordBalance(ledger, ACCOUNT.id, 100_000_000 as Micros);
    assert.equal(await why(), 'floor_short');
    ledger.pass(1);
    await recordBalance(ledger, ACCOUNT.id, 102_000_000 as Micros);
    const turn = await begin();
    assert.equal(turn.kind === 'send' && turn.urls.length, 4, 'as many as fit above the floor');
  });

  testLedger('failed URLs and those without a result are never checked', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    const [reference] = await sendAll(ledger);
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'partial', terminalStates: ['partial'] });
    await recordUrlResults(ledger, ACCOUNT.id, reference!, [
      { url: shopUrl('1'), result: 'completed', reason: null },
      { url: shopUrl('2'), result: 'failed', reason: 'blocked' },
    ]);
    await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed: { times: 0, afterMs: 0 } });
    ledger.pass(30 * DAY);
    const turn = await beginCheck(ledger, asking());
    assert.deepEqual(turn.kind === 'send' && turn.urls, [shopUrl('1')]);
  });

  testLedger('URLs that are gone or outside the sample are skipped once, not at every check', async (ledger) => {
    await completed(ledger, 1_200);
    await ledger.db.run(sql`UPDATE urls SET gone_run = 1 WHERE id % 2 = 0`);
    ledger.pass(3 * DAY);
    await checkAll(ledger, 'not-found', { sample: 0.1 });
    const { due } = await ledger.db.one(sql<{ due: number }>`
    SELECT count(*) AS due FROM check_queue WHERE next_at <= ${ledger.now()}`);
    assert.equal(due, 0);
    await ledger.db.run(sql`UPDATE urls SET gone_run = NULL`);
    ledger.pass(8 * DAY);
    assert.ok((await checkAll(ledger, 'not-found')).length > 20, 'what is back is checked');
  });

  testLedger('one URL that is due is checked at once, though a thousand before it are still gone', async (ledger) => {
    await completed(ledger, 1_002);
    const { last } = await ledger.db.one(sql<{ last: number }>`SELECT max(url_id) AS last FROM check_queue`);
    await ledger.db.run(sql`UPDATE urls SET gone_run = 1`);
    ledger.pass(3 * DAY);
    assert.equal((await beginCheck(ledger, asking())).kind, 'idle');
    await ledger.db.run(sql`UPDATE urls SET gone_run = NULL WHERE id = ${last}`);
    ledger.pass(7 * DAY);
    const turn = await beginCheck(ledger, asking());
    assert.equal(turn.kind === 'send' && turn.urls.length, 1);
  });
});
