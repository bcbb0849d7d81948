import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timesMicros } from '../../contract/money.ts';
import { ACCOUNT, accepted, crawled, DAY, HOUR, QUARTER, shopUrl, WATCH } from '../../test/support/ledger.ts';
import { CHECKS, LedgerModel, type ModelBatch, NOT_WITHIN, RETRY } from '../../test/support/ledger-model.ts';
import { pick, seeded } from '../../test/support/seeded.ts';
import { openDatabase } from '../database/open.ts';
import type { BatchId, Reference, RunId } from '../submission/ids.ts';
import { renderReason } from '../submission/reason.ts';
import { splitBatch } from '../submission/split.ts';
import { listPendingBatches } from './batches/batch-queries.ts';
import { beginSend } from './batches/begin-send.ts';
import { cancelBatch } from './batches/cancel-batch.ts';
import { recordAnswer } from './batches/record-answer.ts';
import { recordReconciled } from './batches/record-reconciled.ts';
import { resolveNeedsReview } from './batches/resolve-review.ts';
import { beginCheck } from './index-checks/begin-check.ts';
import { recordCheck } from './index-checks/record-check.ts';
import { listQuarantined, releaseUrl } from './jobs/quarantine.ts';
import { listOpenSubmissions, recordPoll } from './jobs/record-poll.ts';
import { recordUrlResults, settleJob } from './jobs/settle-job.ts';
import { getSpendLeft } from './money/spend-left.ts';
import { type Ledger, ledgerOver } from './open-ledger.ts';
import { planRun } from './plans/make-plan.ts';
import { getUrlHistory } from './reports/url-history.ts';
import { endRun } from './runs/runs.ts';

const SEEDS = Number(process.env.COURIER_TEST_SEEDS ?? 5);
const ACTS = 160;
const PAGES = 9;
const watch = { ...WATCH, retryFailed: RETRY, resubmit: { onLastmodChange: true, notWithinMs: NOT_WITHIN } };
/** In URLs of a quarter of a lira. */
const PER_DAY = 8;
const capped = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: timesMicros(QUARTER, PER_DAY) } };
const CHARGED = { chargeState: 'charged', charged: null, balance: null } as const;
const NOTHING_CHARGED = { chargeState: 'none', message: 'no' } as const;
const TERMINAL = ['completed', 'partial', 'failed'];

/** A ledger and its model, through the same acts. */
async function play(seed: number): Promise<void> {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  let now = Date.UTC(2026, 0, 28, 12);
  const ledger: Ledger = await ledgerOver(openDatabase('sqlite::memory:'), () => now);
  const model = new LedgerModel();
  const site = new Map<string, string | null>();
  /** The ledger numbers batches in the order in which they are made, as the model does. */
  const toId = (batch: ModelBatch) => (model.batches.indexOf(batch) + 1) as BatchId;
  let count = 0;

  const acts = {
    async night() {
      for (let n = Math.floor(random() * 5); n > 0; n--) {
        const page = `p/${Math.floor(random() * PAGES)}`;
        if (chance(0.2)) site.delete(page);
        else site.set(page, page.endsWith('8') ? null : new Date(now).toISOString());
      }
      const broken = chance(0.15);
      const files = new Map<string, Map<string, string | null>>([['a.xml', new Map()]]);
      if (!broken) files.set('b.xml', new Map());
      for (const [page, lastmod] of site) files.get(Number(page.at(-1)) % 2 ? 'a.xml' : 'b.xml')?.set(page, lastmod);
      const run = `r${++count}` as RunId;
      const toList = (entries: ReadonlyMap<string, string | null>) =>
        [...entries].map(([page, lastmod]) => (lastmod === null ? page : ([page, lastmod] as const)));
      const read = Object.fromEntries([...files].map(([file, entries]) => [file, toList(entries)]));
      const diff = await crawled(ledger, run, broken ? { ...read, 'b.xml': 'broken' } : read, { complete: !broken });
      const urls = new Map(
        [...files].map(([file, pages]) => [file, new Map([...pages].map(([page, at]) => [shopUrl(page), at]))]),
      );
      const counts = model.night(run, now, urls, !broken);
      assert.deepEqual({ new: diff.new, changed: diff.changed, gone: diff.gone }, counts, 'counts of the run');
      if (!broken) assert.equal(diff.found, site.size);
      const most = chance(0.3) ? 2 : null;
      const maxCost = most === null ? null : timesMicros(QUARTER, most);
      model.closeExpiredCheck(now);
      const left = PER_DAY - model.quartersSince(startOfDay(now));
      const planned = model.plan(now, Math.min(left, most ?? left));
      const plan = await planRun(ledger, run, { account: capped, watch, maxCost });
      const { urls: bought, held, cost, batches } = plan;
      assert.deepEqual(
        { bought, held, cost, batches },
        {
          bought: planned.bought.length,
          held: planned.due - planned.bought.length,
          cost: timesMicros(QUARTER, planned.bought.length),
          batches: planned.bought.length > 0 ? 1 : 0,
        },
      );
      await endRun(ledger, run, 'finished');
    },

    async send() {
      const batch = pick(random, model.pending(now));
      if (batch === undefined) return;
      const id = toId(batch);
      const sending = await beginSend(ledger, id, { account: ACCOUNT, watch });
      const reference = `J-${++count}` as Reference;
      if (sending.kind === 'reconcile') {
        const isThere = batch.inDoubt && chance(0.5);
        const found = { reference, state: null, charged: null, pricePerUrl: null, balance: null };
        await recordReconciled(ledger, id, isThere ? { kind: 'found', ...found } : { kind: 'absent' });
        if (isThere) model.accept(batch, now, reference);
        else model.returnToPlanned(batch, null);
        return;
      }
      assert.ok(sending.kind === 'send', sending.kind);
      const pages = batch.pages.map(({ url }) => url);
      assert.deepEqual([sending.urls, JSON.parse(sending.body).urls, sending.inDoubt], [pages, pages, batch.inDoubt]);
      assert.equal(sending.expectedCost, timesMicros(QUARTER, pages.length));
      const requestId = `q-${count}`;
      const answer = (outcome: Parameters<typeof recordAnswer>[2]['outcome']) => {
        batch.requestIds.push(requestId);
        return recordAnswer(ledger, id, {
          attempt: sending.attempt,
          outcome,
          status: null,
          requestId,
          backoffMs: HOUR,
        });
      };
      Object.assign(batch, { state: 'sending', notBefore: null, sentAt: batch.sentAt ?? now });
      batch.attempts += 1;
      const outcome = batch.inDoubt
        ? pick(random, ['accepted', 'unknown', 'limited'])
        : pick(random, ['accepted', 'accepted', 'accepted', 'unknown', 'limited', 'split', 'bad', 'defect', 'crash']);
      if (outcome === 'crash') batch.inDoubt = true;
      if (outcome === 'accepted') {
        await answer(accepted(reference, timesMicros(QUARTER, pages.length)));
        model.accept(batch, now, reference);
      }
      if (outcome === 'unknown') {
        await answer({ kind: 'retry', why: 'unknown', chargeState: 'unknown', retryAfterMs: null, message: 'no' });
        Object.assign(batch, { inDoubt: true, notBefore: now + HOUR });
      }
      if (outcome === 'limited') {
        await answer({ kind: 'retry', why: 'rate-limited', ...NOTHING_CHARGED, retryAfterMs: 2 * HOUR });
        if (batch.inDoubt) batch.notBefore = now + 2 * HOUR;
        else model.returnToPlanned(batch, now + 2 * HOUR);
      }
      if (outcome === 'defect' || (outcome === 'split' && (pages.length < 2 || batch.parent !== null))) {
        await answer({ kind: 'defect', ...NOTHING_CHARGED });
        batch.state = 'needs_review';
      } else if (outcome === 'split') {
        await answer({ kind: 'split', why: 'invalid', ...NOTHING_CHARGED });
        model.refuse(batch, splitBatch(batch.pages), [], '');
      }
      if (outcome === 'bad') {
        const [bad, ...rest] = batch.pages;
        await answer({ kind: 'quarantine', rejected: [{ url: bad!.url, reason: 'unreachable' }], ...NOTHING_CHARGED });
        model.refuse(batch, rest.length === 0 ? [] : [rest], [bad!], 'unreachable');
      }
    },

    async poll() {
      const open = model.batches.filter(({ state, settled }) => state === 'accepted' && !settled);
      const batch = pick(random, open);
      if (batch === undefined) return;
      const reference = batch.reference as Reference;
      const state = pick(random, ['processing', 'completed', 'partial', 'failed']);
      const polled = await recordPoll(ledger, ACCOUNT.id, reference, { state, terminalStates: TERMINAL });
      assert.deepEqual([polled.state, polled.terminal], [state, state !== 'processing']);
      batch.jobState = state;
      if (state === 'processing') return;
      const shown = new Map<string, readonly [string, string | null]>();
      for (const { url } of batch.pages) {
        const result = pick(random, [null, 'completed', 'failed', 'open']);
        if (result !== null) shown.set(url, [result, result === 'failed' ? 'HTTP 404' : null]);
      }
      const results = [...shown].map(([url, [result, reason]]) => ({ url, result: result as 'open', reason }));
      await recordUrlResults(ledger, ACCOUNT.id, reference, results);
      assert.deepEqual(
        await settleJob(ledger, ACCOUNT.id, reference, watch),
        model.settle(batch, state, now, shown),
        'settled',
      );
    },

    async check() {
      model.closeExpiredCheck(now);
      const open = model.openCheck;
      const waiting = model.listDueForCheck(now);
      let due = open === null ? waiting : open.pages;
      const step = await beginCheck(ledger, { account: ACCOUNT, watch: watch.id, spend: watch.spend, policy: CHECKS });
      if (open !== null && open.notBefore > now) return assert.equal(step.kind, 'wait');
      if (due.length === 0) return assert.equal(step.kind, 'idle');
      assert.ok(step.kind === 'send', step.kind);
      if (open === null && due.length > model.mostInCheck) {
        assert.equal(step.urls.length, model.mostInCheck, 'a smaller check follows one that was refused');
        due = due.filter(({ url }) => step.urls.includes(url));
        const longest = Math.max(...due.map(({ nextCheckAt }) => nextCheckAt ?? 0));
        for (const page of waiting) {
          assert.ok(due.includes(page) || page.nextCheckAt! >= longest, 'those that have waited longest go first');
        }
      }
      assert.deepEqual([...step.urls].sort(), due.map(({ url }) => url).sort(), 'the due pages are checked');
      for (const page of open === null ? due : []) {
        page.checks.push({ at: null, result: null, detail: null, requestId: null, state: 'sending' });
      }
      const { attempt, check } = step;
      const requestId = `c-${++count}`;
      if (chance(0.3)) {
        const retry = {
          kind: 'retry',
          why: 'unknown',
          chargeState: 'unknown',
          retryAfterMs: HOUR,
          message: 'no',
        } as const;
        await recordCheck(ledger, check, { attempt, outcome: retry, requestId }, CHECKS);
        const { since = now, attempts = 0 } = open ?? {};
        model.openCheck = { pages: due, notBefore: now + HOUR, since, attempts: attempts + 1 };
        return;
      }
      if (open === null && due.length > 1 && chance(0.35)) {
        const bad = chance(0.5) ? pick(random, due) : null;
        const rejected = bad === null ? [] : [{ url: bad.url, reason: 'unreachable' }];
        const refusal =
          bad === null ? ({ kind: 'split', why: 'invalid' } as const) : ({ kind: 'quarantine', rejected } as const);
        const outcome = { ...refusal, ...NOTHING_CHARGED };
        assert.equal((await recordCheck(ledger, check, { attempt, outcome, requestId }, CHECKS)).kind, 'refused');
        model.refuseCheck(due, now, bad);
        return;
      }
      const verdicts = new Map<string, 'found' | 'not-found' | 'unknown'>();
      for (const { url } of due)
        if (chance(0.9)) verdicts.set(url, pick(random, ['found', 'not-found', 'not-found', 'unknown']));
      const results = [...verdicts].map(([url, verdict]) => ({ url, verdict, statusName: `is ${verdict}` }));
      const outcome = { kind: 'checked', results, usable: true, ...CHARGED } as const;
      const recorded = await recordCheck(ledger, check, { attempt, outcome, requestId }, CHECKS);
      const found = [...verdicts.values()].filter((verdict) => verdict === 'found').length;
      assert.deepEqual(recorded, {
        kind: 'checked',
        urls: due.length,
        found,
        charged: timesMicros(QUARTER, 2 * due.length),
      });
      for (const page of due) {
        const result = verdicts.get(page.url);
        const detail = result === undefined ? null : `is ${result}`;
        page.checks[page.checks.length - 1] = {
          at: now,
          result: result ?? 'unknown',
          detail,
          requestId,
          state: 'done',
        };
      }
      model.openCheck = null;
      model.recordVerdicts(due, now, verdicts);
    },

    async operator() {
      const batch = pick(
        random,
        model.batches.filter(({ state }) => state === 'needs_review' || state === 'planned'),
      );
      if (batch?.state === 'needs_review') {
        const how = chance(0.5) ? 'release' : 'leave';
        assert.equal(await resolveNeedsReview(ledger, toId(batch), how), true);
        model.resolve(batch, how);
      } else if (batch !== undefined && chance(0.4)) {
        assert.deepEqual(await cancelBatch(ledger, toId(batch), 'me'), { urls: batch.pages.length });
        model.cancel(batch);
      }
      for (const page of model.pages.values()) {
        if (chance(0.5)) assert.equal(await releaseUrl(ledger, watch.id, page.url), model.release(page));
      }
    },
  };

  for (let act = 0; act < ACTS; act++) {
    now += Math.floor(random() * 8 * HOUR);
    const name = pick(random, Object.keys(acts) as (keyof typeof acts)[]);
    await acts[name]();
    await compare(ledger, model, now, `seed ${seed}, act ${act}: ${name}`);
  }
  await ledger.close();
}

const startOfDay = (now: number): number => now - (now % DAY);

async function compare(ledger: Ledger, model: LedgerModel, now: number, when: string): Promise<void> {
  const idOf = (batch: ModelBatch) => model.batches.indexOf(batch) + 1;
  for (const page of model.pages.values()) {
    const [history] = await getUrlHistory(ledger, page.url);
    assert.ok(history !== undefined, when);
    const { reason, purchases, ...said } = history;
    const {
      boughtAt,
      completedAt,
      lastCheckAt,
      misses,
      found,
      resubmitted,
      purchases: own,
      reason: why,
      ...visible
    } = page;
    const expected =
      why === null
        ? page.due === 'new'
          ? 'found, not planned yet'
          : null
        : why === 'a cap'
          ? reason
          : renderReason(why);
    assert.equal(reason, expected, `${when}: why ${page.url}`);
    if (why === 'a cap') assert.match(reason ?? '', /\b(day|run)\b/);
    const shown = purchases.map(({ key: _key, batchReason: _reason, ...each }) => each);
    assert.deepEqual(
      { ...said, purchases: shown },
      {
        ...visible,
        watch: watch.id,
        forgottenAt: null,
        purchases: own.map(({ generation, batch, result, resultReason }) => ({
          generation,
          batch: idOf(batch),
          batchState: batch.state,
          reference: batch.reference,
          plannedAt: batch.plannedAt,
          acceptedAt: batch.acceptedAt,
          charge: batch.state === 'accepted' ? QUARTER : null,
          jobState: batch.jobState,
          result,
          resultReason,
          requestIds: batch.requestIds,
        })),
      },
      `${when}: ${page.url}`,
    );
  }
  const pending = await listPendingBatches(ledger, ACCOUNT.id, { limit: 100 });
  const ids = pending.batches.map(({ id }) => id).sort((a, b) => a - b);
  assert.deepEqual(ids, model.pending(now).map(idOf), when);
  const open = (await listOpenSubmissions(ledger, ACCOUNT.id)).map(({ batch }) => batch).sort((a, b) => a - b);
  const followed = model.batches.filter(({ state, settled }) => state === 'accepted' && !settled);
  assert.deepEqual(open, followed.map(idOf), when);
  const quarantined = (await listQuarantined(ledger)).map(({ url }) => url).sort();
  const inQuarantine = [...model.pages.values()].filter(({ state }) => state === 'quarantined').map(({ url }) => url);
  assert.deepEqual(quarantined, inQuarantine.sort(), when);
  const { day } = await getSpendLeft(ledger, capped);
  assert.equal(day, QUARTER * (PER_DAY - model.quartersSince(startOfDay(now))), `${when}: left today`);
}

describe('the ledger beside its model', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`says of each page, batch and lira what the model says (seed ${seed})`, () => play(seed));
  }
});
