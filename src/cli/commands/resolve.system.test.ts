import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { micros } from '../../../contract/money.ts';
import { startFakeService } from '../../../test/fakes/service/fake-service.ts';
import { success } from '../../../test/fakes/service/replies.ts';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';
import {
  ACCOUNT,
  accepted,
  crawled,
  DAY,
  NO_GUARD,
  QUARTER,
  sendOne,
  shopUrl,
  WATCH,
} from '../../../test/support/ledger.ts';
import { listPendingBatches } from '../../ledger/batches/batch-queries.ts';
import { beginSend } from '../../ledger/batches/begin-send.ts';
import { recordAnswer } from '../../ledger/batches/record-answer.ts';
import { reviewBatch } from '../../ledger/batches/review-batch.ts';
import { recordPoll } from '../../ledger/jobs/record-poll.ts';
import { recordUrlResults, settleJob } from '../../ledger/jobs/settle-job.ts';
import { recordBalance } from '../../ledger/money/balance.ts';
import { type Ledger, openLedger } from '../../ledger/open-ledger.ts';
import { judgeRun } from '../../ledger/plans/judge-run.ts';
import { planRun } from '../../ledger/plans/make-plan.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import { getUrlHistory } from '../../ledger/reports/url-history.ts';
import { decideRun } from '../../ledger/runs/decide-run.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';

async function openFolder(
  t: TestContext,
  now: () => number = Date.now,
  service = 'base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY }',
): Promise<{ readonly folder: string; readonly ledger: Ledger }> {
  const folder = folderFor(
    t,
    (path) => `version: 1
accounts:
  main: { ${service}, price_per_url: 0.25 TRY }
watches:
  shop: { account: main, project: Shop, sitemaps: ["${SITEMAP}"], hosts: [shop.example], first_run: submit, schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul } }
temporal: { address: "127.0.0.1:9", namespace: default }
ledger: { url: "sqlite:${join(path, 'ledger.db')}" }
`,
  );
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { now });
  t.after(() => ledger.close());
  return { folder, ledger };
}

/** One batch for each run, of the pages that are new in it. */
async function planRuns(ledger: Ledger, ...runs: readonly (readonly string[])[]): Promise<readonly BatchId[]> {
  const pages: string[] = [];
  for (const [at, added] of runs.entries()) {
    pages.push(...added);
    await crawled(ledger, `r${at}`, { [SITEMAP]: pages });
    await planRun(ledger, `r${at}` as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, `r${at}` as RunId, 'finished');
  }
  return (await listBatches(ledger)).map(({ batch }) => batch).toReversed();
}

async function answer(
  ledger: Ledger,
  batch: BatchId,
  outcome: Parameters<typeof recordAnswer>[2]['outcome'],
  status = 413,
  account = ACCOUNT,
) {
  const sending = await beginSend(ledger, batch, { account, watch: WATCH });
  assert.ok(sending.kind === 'send', JSON.stringify(sending));
  return recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status, requestId: null });
}

const listState = async (ledger: Ledger, state: 'needs_review' | 'refused') =>
  (await listBatches(ledger, { state })).map(({ batch }) => batch).toReversed();

const counted = (run: Awaited<ReturnType<typeof courier>>) =>
  ofType(run, 'resolved').map(({ batch, how, urls }) => [batch, how, urls]);

describe('batches resolve', () => {
  test('--parts decides for the parts of one batch, and for no other batch', async (t) => {
    const { folder, ledger } = await openFolder(t);
    const [whole, odd] = await planRuns(ledger, ['1', '2', '3', '4'], ['5']);
    await reviewBatch(ledger, odd!, { code: 'reported', text: 'another cause' });
    const none = { chargeState: 'none', message: 'too large' } as const;
    for (;;) {
      const [next] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      if (next === undefined) break;
      await answer(
        ledger,
        next.id,
        next.urls > 1 ? { kind: 'split', why: 'too-large', ...none } : { kind: 'defect', ...none },
      );
    }
    const parts = (await listState(ledger, 'needs_review')).filter((batch) => batch !== odd);
    assert.ok(parts.length > 1, `batch ${whole} has parts`);
    const released = await courier(folder, 'batches', 'resolve', String(parts.at(-1)), '--release', '--parts');
    assert.equal(released.code, 0, released.stderr);
    assert.deepEqual(
      counted(released)
        .map(([batch]) => batch)
        .sort(),
      parts,
    );
    assert.equal(
      counted(released).reduce((sum, [, , urls]) => sum + Number(urls), 0),
      4,
    );
    assert.deepEqual(await listState(ledger, 'needs_review'), [odd]);
  });

  test('--same-reason decides for every batch with that reason; one that may be charged stays', async (t) => {
    const { folder, ledger } = await openFolder(t);
    const [first, second, doubtful, other] = await planRuns(ledger, ['1'], ['2'], ['3'], ['4']);
    const reason: Reason = { code: 'answer', outcome: 'defect', text: 'status 400' };
    await beginSend(ledger, doubtful!, { account: ACCOUNT, watch: WATCH });
    for (const batch of [first, second, doubtful]) await reviewBatch(ledger, batch!, reason);
    await reviewBatch(ledger, other!, { code: 'reported', text: 'another cause' });

    const resolved = await courier(folder, 'batches', 'resolve', String(first), '--leave', '--same-reason');
    assert.equal(resolved.code, 3);
    assert.match(resolved.stderr, new RegExp(`1 batch may have been charged and still need review: ${doubtful}\\.`));
    assert.deepEqual(counted(resolved), [
      [first, 'leave', 1],
      [second, 'leave', 1],
    ]);
    assert.deepEqual(await listState(ledger, 'needs_review'), [doubtful, other]);
  });

  test('flags that contradict each other are a usage error, and nothing is changed', async (t) => {
    const { folder, ledger } = await openFolder(t);
    const [batch] = await planRuns(ledger, ['1']);
    await reviewBatch(ledger, batch!, { code: 'reported', text: 'a cause' });
    for (const flags of [
      ['--release', '--parts', '--same-reason'],
      ['--charged', 'R-1', '--parts'],
      ['--charged', 'R-1', '--same-reason'],
    ]) {
      assert.equal((await courier(folder, 'batches', 'resolve', String(batch), ...flags)).code, 2, flags.join(' '));
    }
    assert.deepEqual(await listState(ledger, 'needs_review'), [batch]);
  });
});

describe('batches resolve of a job that stays open', () => {
  /** A job of three URLs, of which the service reported one as completed and one as failed. */
  async function openJob(t: TestContext, age: number) {
    const { folder, ledger } = await openFolder(t, () => Date.now() - age);
    const [batch] = await planRuns(ledger, ['1', '2', '3']);
    await sendOne(ledger, batch!);
    await recordUrlResults(ledger, ACCOUNT.id, `R-${batch}` as Reference, [
      { url: shopUrl('1'), result: 'completed', reason: null },
      { url: shopUrl('2'), result: 'failed', reason: 'blocked' },
    ]);
    const states = async () => {
      const urls = await Promise.all(['1', '2', '3'].map((page) => getUrlHistory(ledger, shopUrl(page))));
      return urls.map(([url]) => [url?.state, url?.due]);
    };
    return { folder, batch: String(batch), reference: `R-${batch}`, states };
  }

  test('refuses while the job is still followed', async (t) => {
    const { folder, batch, states } = await openJob(t, 7 * DAY);
    for (const how of ['--release', '--leave']) {
      const refused = await courier(folder, 'batches', 'resolve', batch, how);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /is followed until .*the service may still process it.*Nothing was changed/s);
    }
    assert.deepEqual(await states(), Array(3).fill(['submitted', null]));
    assert.doesNotMatch(await printCourier(folder, 'status'), /no longer followed/);
  });

  test('--release makes the URLs without a result due again, and says what that costs', async (t) => {
    const { folder, batch, reference, states } = await openJob(t, 9 * DAY);
    const status = await printCourier(folder, 'status');
    assert.match(
      status,
      new RegExp(`job ${reference} .*no longer followed.*"courier batches resolve ${batch}" with --release`),
    );
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.deepEqual(account?.batches, { planned: 0, in_doubt: 0, open: 1, overdue: 1, needs_review: 0 });

    const check = await courier(folder, 'status', '--check');
    assert.equal(check.code, 3);
    assert.match(String(ofType(check, 'problem').at(-1)?.problem), /no longer followed/);

    const printed = await printCourier(folder, 'batches', 'resolve', reference, '--release');
    assert.match(printed, /1 completed and 1 failed URLs keep their result\. Its charge of 0\.75 TRY stays\./);
    assert.match(printed, /1 URL without a result: due again\. .* the service charges them again/);
    assert.deepEqual(await states(), [
      ['completed', null],
      ['failed', 'retry'],
      ['held', 'released'],
    ]);
    const again = await courier(folder, 'batches', 'resolve', batch, '--release');
    assert.equal(again.code, 2);
    assert.match(again.stderr, /its job has ended/);
  });

  test('--leave counts them as submitted', async (t) => {
    const { folder, batch, states } = await openJob(t, 9 * DAY);
    assert.deepEqual(counted(await courier(folder, 'submissions', 'resolve', batch, '--leave')), [
      [Number(batch), 'leave', 1],
    ]);
    assert.deepEqual((await states()).at(-1), ['known', null]);
  });

  test('needs a decision that fits a job', async (t) => {
    const { folder, batch, states } = await openJob(t, 9 * DAY);
    for (const flags of [
      [],
      ['--charged', 'R-9'],
      ['--release', '--leave'],
      ['--release', '--parts'],
      ['--leave', '--same-reason'],
    ]) {
      const refused = await courier(folder, 'batches', 'resolve', batch, ...flags);
      assert.equal(refused.code, 2, flags.join(' '));
      assert.match(refused.stderr, /its job is open\. Pass exactly one of --release .* and --leave/);
    }
    assert.deepEqual(await states(), Array(3).fill(['submitted', null]));
  });
});

describe('batches resolve --charged', () => {
  /** A batch of two URLs that were expected to cost 0.25 TRY each, and what the command prints. */
  async function resolve(t: TestContext, service?: string) {
    const { folder, ledger } = await openFolder(t, Date.now, service);
    const [batch] = await planRuns(ledger, ['1', '2']);
    await reviewBatch(ledger, batch!, { code: 'reported', text: 'no list has it' });
    const printed = await printCourier(folder, 'batches', 'resolve', String(batch), '--charged', 'R-7');
    const [line] = await listBatches(ledger);
    return { printed, charge: line?.charge };
  }

  test('reads what the job cost', async (t) => {
    const detail = () => success({ reference: 'R-7', status: 'processing', charged: 0.6, price_per_url: 0.3 });
    const { baseUrl } = await startFakeService(t, { overrides: { detail } });
    process.env.COURIER_RESOLVE_KEY = 'a-key';
    t.after(() => delete process.env.COURIER_RESOLVE_KEY);
    const { printed, charge } = await resolve(t, `base_url: "${baseUrl}", api_key: { env: COURIER_RESOLVE_KEY }`);
    assert.equal(charge, 600_000);
    assert.match(printed, /2 URLs: charged as R-7, 0\.60 TRY; the next run follows it\./);
  });

  test('counts it as expected where the service cannot be asked, and says so', async (t) => {
    const { printed, charge } = await resolve(
      t,
      'base_url: "https://service.example/api/v1", api_key: { env: NO_SUCH_KEY }',
    );
    assert.equal(charge, 500_000);
    assert.match(printed, /charged as R-7, which counts as 0\.50 TRY: the service could not be asked \(.*NO_SUCH_KEY/);
  });
});

describe('accounts resume', () => {
  const refused = { kind: 'defect', chargeState: 'none', message: 'status 404' } as const;

  async function stopped(t: TestContext) {
    const { folder, ledger } = await openFolder(t);
    const batches = await planRuns(ledger, ['1'], ['2'], ['3'], ['4']);
    for (const batch of batches.slice(0, 3)) await answer(ledger, batch, refused, 404);
    return { folder, ledger, batches };
  }

  test('sends everything again after the service refused every batch', async (t) => {
    const { folder, ledger, batches } = await stopped(t);
    assert.match(
      await printCourier(folder, 'status'),
      /it sends nothing: the service refused 3 batches in a row with status 404/,
    );
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.match(String(account?.suspended), /courier accounts resume main/);
    assert.deepEqual(account?.batches, { planned: 4, in_doubt: 0, open: 0, overdue: 0, needs_review: 0 });

    assert.equal((await courier(folder, 'status', '--check')).code, 3);
    const resumed = await courier(folder, 'accounts', 'resume', 'main');
    assert.deepEqual(ofType(resumed, 'resumed'), [
      { type: 'resumed', account: 'main', stopped: true, how: 'send', batches: 4 },
    ]);
    assert.equal((await beginSend(ledger, batches[0]!, { account: ACCOUNT, watch: WATCH })).kind, 'send');
    const again = await courier(folder, 'accounts', 'resume', 'main');
    assert.deepEqual([again.code, ofType(again, 'resumed')[0]?.stopped], [0, false]);
  });

  test('--release makes all URLs due again', async (t) => {
    const { folder, ledger } = await stopped(t);
    assert.match(
      await printCourier(folder, 'accounts', 'resume', 'main', '--release'),
      /4 batches taken back, nothing of it was charged/,
    );
    await crawled(ledger, 'next', { [SITEMAP]: ['1', '2', '3', '4'] });
    assert.equal((await planRun(ledger, 'next' as RunId, { account: ACCOUNT, watch: WATCH })).urls, 4);
  });
});

describe('status', () => {
  test('names what a batch waits for and when it is tried next', async (t) => {
    const { folder, ledger } = await openFolder(t, () => Date.UTC(2026, 0, 15, 12));
    const [batch] = await planRuns(ledger, ['1']);
    const message = 'rate limit reached, "slow down"';
    await answer(
      ledger,
      batch!,
      { kind: 'retry', why: 'rate-limited', chargeState: 'none', retryAfterMs: 3_600_000, message },
      429,
    );
    assert.match(
      await printCourier(folder, 'status'),
      new RegExp(`batch ${batch} waits: ${message}; next attempt 2026-01-15 16:00 Europe/Istanbul`),
    );
  });

  test('dates the balance, and names the URLs whose charge nobody knows', async (t) => {
    const { folder, ledger } = await openFolder(t, () => Date.UTC(2026, 0, 15, 12));
    await recordBalance(ledger, ACCOUNT.id, QUARTER);
    await crawled(ledger, 'r1', { [SITEMAP]: ['1', '2'] });
    const account = { ...ACCOUNT, pricePerUrl: { standard: null, fast: null } };
    await planRun(ledger, 'r1' as RunId, { account, watch: WATCH });
    const [batch] = await listBatches(ledger);
    await answer(ledger, batch!.batch, accepted('R-1'), 202, account);
    const shown = await printCourier(folder, 'status');
    assert.match(shown, /balance 0\.25 TRY as of 2026-01-15 12:00 UTC/);
    assert.match(shown, /charge unknown for 2 URLs: not in these sums; the caps count 0\.50 TRY for them/);
  });

  test('says what was charged since the balance was read', async (t) => {
    let now = Date.UTC(2026, 0, 15, 12);
    const { folder, ledger } = await openFolder(t, () => now);
    await recordBalance(ledger, ACCOUNT.id, micros(100_000_000));
    assert.match(await printCourier(folder, 'status'), /balance 100\.00 TRY as of 2026-01-15 12:00 UTC;/);
    now += 60_000;
    const [batch] = await planRuns(ledger, ['1', '2', '3']);
    await answer(ledger, batch!, accepted('R-1', micros(750_000)), 202);
    const shown = await printCourier(folder, 'status');
    assert.match(shown, /balance 100\.00 TRY as of 2026-01-15 12:00 UTC, before 0\.75 TRY charged since;/);
  });

  test('says for how many URLs a job ended without a result', async (t) => {
    const { folder, ledger } = await openFolder(t);
    const [batch] = await planRuns(ledger, ['1', '2', '3']);
    await sendOne(ledger, batch!);
    const reference = `R-${batch}` as Reference;
    await recordUrlResults(ledger, ACCOUNT.id, reference, [{ url: shopUrl('1'), result: 'completed', reason: null }]);
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'partial', terminalStates: ['partial'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: null });
    assert.match(
      await printCourier(folder, 'status'),
      /the job ended without a result that could be read for 2 URLs\. They count as bought.*"courier batches show \d+"/,
    );
    const [watch] = ofType(await courier(folder, 'status'), 'watch');
    assert.equal((watch?.last_run as { without_result: number } | undefined)?.without_result, 2);
    assert.match(await printCourier(folder, 'why', shopUrl('2')), /its job ended partial without a result for it/);
  });

  test('says who decided on the last run, why and when, and so does a batch of it', async (t) => {
    const { folder, ledger } = await openFolder(t, () => Date.UTC(2026, 0, 15, 12));
    await crawled(ledger, 'r1', { [SITEMAP]: ['1'] });
    await judgeRun(ledger, 'r1' as RunId, { ...NO_GUARD, maxNew: 0 });
    await decideRun(ledger, 'r1' as RunId, 'approved', 'ayse: relaunch');
    const decided = /\(approved by ayse: relaunch, 2026-01-15 15:00 Europe\/Istanbul\)/;
    assert.match(await printCourier(folder, 'status'), new RegExp(` active ${decided.source}: 1 found`));
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    assert.match(await printCourier(folder, 'batches', 'show', '1'), new RegExp(`run r1 ${decided.source}, project`));
    const decision = { decision: 'approved', by: 'ayse: relaunch', at: '2026-01-15T12:00:00.000Z' };
    assert.deepEqual(ofType(await courier(folder, 'batches', 'show', '1'), 'batch')[0]?.decision, decision);
  });
});
