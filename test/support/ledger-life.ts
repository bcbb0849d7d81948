import { timesMicros } from '../../contract/money.ts';
import { endStops } from '../../src/ledger/accounts/stops.ts';
import { findWatch } from '../../src/ledger/accounts/watches.ts';
import { listBatchesInDoubt, listPendingBatches } from '../../src/ledger/batches/batch-queries.ts';
import { beginSend, type Sending } from '../../src/ledger/batches/begin-send.ts';
import { cancelBatch } from '../../src/ledger/batches/cancel-batch.ts';
import { checkFunds, resumeWithinCaps } from '../../src/ledger/batches/funds.ts';
import { recordAnswer } from '../../src/ledger/batches/record-answer.ts';
import { recordReconciled } from '../../src/ledger/batches/record-reconciled.ts';
import { listReviewedWith, resolveNeedsReview } from '../../src/ledger/batches/resolve-review.ts';
import { reviewBatch } from '../../src/ledger/batches/review-batch.ts';
import { beginCheck } from '../../src/ledger/index-checks/begin-check.ts';
import { countDueChecks } from '../../src/ledger/index-checks/count-due-checks.ts';
import { recordCheck } from '../../src/ledger/index-checks/record-check.ts';
import { countJobs } from '../../src/ledger/jobs/count-jobs.ts';
import { importPurchases } from '../../src/ledger/jobs/import-purchases.ts';
import { listOverdueJobs } from '../../src/ledger/jobs/overdue-jobs.ts';
import { listQuarantined, releaseQuarantined, releaseUrl } from '../../src/ledger/jobs/quarantine.ts';
import { listOpenSubmissions, recordPoll } from '../../src/ledger/jobs/record-poll.ts';
import { recoverJob } from '../../src/ledger/jobs/recover.ts';
import { countOpenUrls, recordUrlResults, resolveJob, settleJob } from '../../src/ledger/jobs/settle-job.ts';
import { LedgerError } from '../../src/ledger/ledger-error.ts';
import { getAccountStatus, retryUnfunded } from '../../src/ledger/money/account-status.ts';
import { findBalance, needsFreshBalance, recordBalance } from '../../src/ledger/money/balance.ts';
import { getWaitingMoney } from '../../src/ledger/money/waiting-money.ts';
import { judgeRun } from '../../src/ledger/plans/judge-run.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { previewRuns } from '../../src/ledger/plans/preview-runs.ts';
import type { AccountPolicy, WatchPolicy } from '../../src/ledger/policy.ts';
import { listBatchUrls } from '../../src/ledger/reports/batch-urls.ts';
import { getUrlHistory } from '../../src/ledger/reports/url-history.ts';
import { decideRun } from '../../src/ledger/runs/decide-run.ts';
import { countGoneSinceLastRun } from '../../src/ledger/runs/gone-since-last-run.ts';
import { endRun } from '../../src/ledger/runs/runs.ts';
import type { IndexCheckPolicy } from '../../src/submission/check-schedule.ts';
import type { BatchId, Reference, RunId } from '../../src/submission/ids.ts';
import type { Outcome } from '../../src/submission/outcome.ts';
import { accepted, crawled, DAY, HOUR, NO_GUARD, QUARTER, type Site, shopUrl, type TestLedger } from './ledger.ts';
import { pick } from './seeded.ts';

/** Who lives in a ledger: one watch of an account, with pages of its own. */
export interface Inhabitant {
  readonly account: AccountPolicy;
  readonly watch: WatchPolicy;
  /** How its pages begin. */
  readonly folder: string;
  /** Every batch is accepted, and nothing is held or suspended: what it does concerns no other watch of its account. */
  readonly calm: boolean;
}

const PAGES = 9;
const CHECKS: IndexCheckPolicy = {
  afterMs: DAY,
  everyMs: 3 * DAY,
  stopWhenFound: true,
  sample: 0.8,
  perDay: null,
  resubmitAfter: 2,
};
const REFUSED = { chargeState: 'none', message: 'no' } as const;
const TERMINAL = ['completed', 'partial', 'failed'];

/**
 * A watch over months, one act after another, chosen by a seed: nights, sends with every outcome, polls, index-checks, the
 * operator, the history of the service. Each act tells what the ledger said to it; the numbers of rows are counted again, so
 * that two lives can be compared that others have taken numbers between.
 */
export class LedgerLife {
  readonly #ledger: TestLedger;
  readonly #who: Inhabitant;
  readonly #random: () => number;
  readonly #site = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  #runs = 0;
  #jobs = 0;
  #last: RunId | null = null;

  constructor(ledger: TestLedger, who: Inhabitant, random: () => number) {
    this.#ledger = ledger;
    this.#who = who;
    this.#random = random;
  }

  /** The next act, with what was reported to it and where each of its pages then stands. */
  async act(): Promise<unknown> {
    const acts = {
      night: () => this.#night(),
      send: () => this.#send(),
      'send again': () => this.#send(),
      poll: () => this.#poll(),
      check: () => this.#check(),
      ...(this.#who.calm ? {} : { operator: () => this.#operator(), history: () => this.#history() }),
    };
    const name = pick(this.#random, Object.keys(acts) as (keyof typeof acts)[]);
    this.#ledger.pass(Math.floor(this.#random() * 9 * HOUR));
    let reported: unknown;
    try {
      reported = await acts[name]?.();
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      reported = error.code;
    }
    return this.#renumber({ act: name, reported, view: this.#chance(0.3) ? await this.#view() : null });
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  async #night(): Promise<unknown> {
    const { account, watch, folder, calm } = this.#who;
    for (let n = Math.floor(this.#random() * 4); n > 0; n--) {
      const page = `${folder}/${Math.floor(this.#random() * PAGES)}`;
      if (this.#chance(0.2)) this.#site.delete(page);
      else this.#site.set(page, this.#ledger.now() - Math.floor(this.#random() * 5 * DAY));
    }
    const pages = [...this.#site].map(([page, at]) =>
      page.endsWith('0') ? page : ([page, new Date(at).toISOString()] as const),
    );
    const half = Math.ceil(pages.length / 2);
    const rest = pages.slice(half);
    const site: Site = {
      [`${folder}/a.xml`]: pages.slice(0, half),
      [`${folder}/b.xml`]: this.#chance(0.15) ? 'broken' : this.#chance(0.15) ? { cut: rest.slice(1) } : rest,
    };
    const complete = !Object.values(site).some((each) => !Array.isArray(each));
    const run = `${watch.id}-${++this.#runs}` as RunId;
    this.#last = run;
    const firstRun = this.#runs === 1 && this.#chance(0.3) ? 'baseline' : 'submit';
    const diff = await crawled(this.#ledger, run, site, { watch: watch.id, account: account.id, firstRun, complete });
    const gone = await countGoneSinceLastRun(this.#ledger.db, run);
    const spend = this.#chance(0.3) ? { ...watch.spend, perDay: timesMicros(QUARTER, 3) } : watch.spend;
    const input = { account, watch: { ...watch, spend } };
    const guard = this.#chance(0.4) ? { ...NO_GUARD, maxNew: 1, maxChanged: 1, maxGonePercent: 20 } : NO_GUARD;
    const judged = await judgeRun(this.#ledger, run, guard, this.#chance(0.5) ? { input } : {});
    // Examples have no order.
    const held = judged === null ? null : { ...judged, sample: judged.sample.toSorted() };
    let decision: string | null = null;
    if (held !== null) {
      decision = await decideRun(this.#ledger, run, this.#chance(0.5) ? 'approved' : 'rejected', 'an operator');
    }
    if (decision === 'rejected') {
      await endRun(this.#ledger, run, 'finished');
      return { diff, gone, held, decision };
    }
    const maxCost = this.#chance(0.2) ? timesMicros(QUARTER, 2) : null;
    const preview = calm || this.#chance(0.5) ? await previewRuns(this.#ledger, [{ run, input }]) : null;
    const plan = this.#chance(0.9) ? await planRun(this.#ledger, run, { ...input, maxCost }) : null;
    await endRun(this.#ledger, run, plan === null ? 'abandoned' : 'finished');
    return { diff, gone, held, decision, preview, plan };
  }

  async #send(): Promise<unknown> {
    const { account, watch, calm } = this.#who;
    const { batches } = await listPendingBatches(this.#ledger, account.id, { limit: 100 });
    const mine = batches.filter((each) => each.watch === watch.id);
    const batch = mine[0];
    if (batch === undefined) return mine;
    const funds = calm ? null : await checkFunds(this.#ledger, batch, { account, watch });
    const spend = this.#chance(0.1) ? { ...watch.spend, perDay: timesMicros(QUARTER, 1) } : watch.spend;
    const sending = await beginSend(this.#ledger, batch.id, { account, watch: this.#chance(0.02) ? null : { spend } });
    if (sending.kind === 'reconcile') return [mine, funds, sending, await this.#reconcile(batch.id)];
    if (sending.kind !== 'send' || this.#chance(calm ? 0 : 0.15)) return [mine, funds, sending];
    const outcome = calm ? this.#accept(sending) : this.#answer(sending);
    const status = outcome.kind === 'defect' ? 400 : 202;
    const record = { attempt: sending.attempt, outcome, status, requestId: `q${this.#jobs}`, backoffMs: HOUR };
    const recorded = await recordAnswer(this.#ledger, batch.id, record);
    const again = this.#chance(0.3) ? await recordAnswer(this.#ledger, batch.id, record) : null;
    return [mine, funds, sending, recorded, again, await listBatchUrls(this.#ledger, batch.id)];
  }

  #reconcile(batch: BatchId) {
    if (this.#chance(0.5)) return recordReconciled(this.#ledger, batch, { kind: 'absent' }, { confirmMs: HOUR });
    const found = { reference: this.#newReference(), state: null, charged: null, pricePerUrl: null, balance: null };
    return recordReconciled(this.#ledger, batch, { kind: 'found', ...found });
  }

  /** The services of two accounts count their jobs alike. */
  #newReference(): Reference {
    const { calm, watch } = this.#who;
    return `IDX-${calm ? `${watch.id}-` : ''}${++this.#jobs}` as Reference;
  }

  #accept({ urls }: Extract<Sending, { kind: 'send' }>): Outcome {
    return accepted(this.#newReference(), timesMicros(QUARTER, urls.length));
  }

  #answer(sending: Extract<Sending, { kind: 'send' }>): Outcome {
    const { urls } = sending;
    const rejected = urls.slice(0, 1).map((url) => ({ url, reason: 'unreachable' }));
    const quarantine: Outcome = { kind: 'quarantine', rejected, ...REFUSED };
    return pick<() => Outcome>(this.#random, [
      () => this.#accept(sending),
      () => this.#accept(sending),
      () => this.#accept(sending),
      () => ({ ...accepted(this.#newReference(), null), balance: timesMicros(QUARTER, 400) }),
      () => ({ kind: 'retry', why: 'unknown', ...REFUSED, chargeState: 'unknown', retryAfterMs: null }),
      () => ({ kind: 'retry', why: 'rate-limited', ...REFUSED, retryAfterMs: 2 * HOUR }),
      () => ({ kind: 'suspend', ...REFUSED }),
      () => ({ kind: 'reject_key', ...REFUSED }),
      () => (urls.length === 1 ? quarantine : { kind: 'split', why: 'invalid', ...REFUSED }),
      () => quarantine,
      () => ({ kind: 'conflict', ifAbsent: null, ...REFUSED, chargeState: 'unknown' }),
      () => ({ kind: 'defect', ...REFUSED }),
    ])();
  }

  async #poll(): Promise<unknown> {
    const { account, watch, calm } = this.#who;
    const open = (await listOpenSubmissions(this.#ledger, account.id)).filter((each) => each.watch === watch.id);
    const job = open[Math.floor(this.#random() * open.length)];
    if (job === undefined) return open;
    const { reference, batch } = job;
    const overdue = await listOverdueJobs(this.#ledger, account.id, { standard: 8 * HOUR, fast: HOUR });
    const mine = overdue.filter((each) => open.some(({ reference: own }) => own === each.reference));
    if (!calm && this.#chance(0.1)) {
      const how = this.#chance(0.5) ? 'release' : 'leave';
      return [mine, await resolveJob(this.#ledger, account.id, reference, how, watch)];
    }
    const state = pick(this.#random, ['queued', 'processing', 'paused', 'completed', 'completed', 'partial', 'failed']);
    const polled = await recordPoll(this.#ledger, account.id, reference, { state, terminalStates: TERMINAL });
    const urls = await listBatchUrls(this.#ledger, batch);
    const shown = urls.slice(this.#chance(0.3) ? 1 : 0).map(({ url }) => ({
      url: `${url}${this.#chance(0.1) ? '/' : ''}`,
      result: pick(this.#random, ['completed', 'failed', 'open'] as const),
      reason: this.#chance(0.5) ? 'HTTP 404' : null,
    }));
    const results = await recordUrlResults(this.#ledger, account.id, reference, shown);
    const left = await countOpenUrls(this.#ledger, account.id, reference);
    if (!polled.terminal) return [open, mine, polled, results, left];
    const settled = await settleJob(
      this.#ledger,
      account.id,
      reference,
      this.#chance(0.9) ? watch : { retryFailed: null },
    );
    return [open, mine, polled, results, left, settled, await listBatchUrls(this.#ledger, batch)];
  }

  async #check(): Promise<unknown> {
    const { account, watch, calm } = this.#who;
    const policy = calm ? CHECKS : { ...CHECKS, perDay: this.#chance(0.3) ? timesMicros(QUARTER, 5) : null };
    const watchId = await findWatch(this.#ledger.db, watch.id);
    const due = watchId === null ? null : await countDueChecks(this.#ledger.db, watchId, this.#ledger.now());
    const step = await beginCheck(this.#ledger, { account, watch: watch.id, spend: watch.spend, policy });
    if (step.kind !== 'send' || this.#chance(calm ? 0 : 0.2)) return [due, step];
    const results = step.urls.slice(this.#chance(0.2) ? 1 : 0).map((url) => {
      const verdict = pick(this.#random, ['found', 'not-found', 'not-found', 'unknown'] as const);
      return { url, verdict, statusName: verdict };
    });
    const money = {
      chargeState: 'charged',
      charged: this.#chance(0.5) ? step.expectedCost : null,
      balance: null,
    } as const;
    const usable = calm || this.#chance(0.9);
    const done = { kind: 'checked', results, usable, ...money } as const;
    const rejected = step.urls.slice(0, 1).map((url) => ({ url, reason: 'unreachable' }));
    const outcome = calm
      ? done
      : pick(this.#random, [
          done,
          done,
          done,
          { kind: 'retry', why: 'unknown', ...REFUSED, chargeState: 'unknown', retryAfterMs: HOUR },
          { kind: 'retry', why: 'rate-limited', ...REFUSED, retryAfterMs: HOUR },
          { kind: 'split', why: 'invalid', ...REFUSED },
          { kind: 'quarantine', rejected, ...REFUSED },
          { kind: 'defect', ...REFUSED },
        ] as const);
    const answer = { attempt: step.attempt, outcome, requestId: 'c' };
    const recorded = await recordCheck(this.#ledger, step.check, answer, policy);
    const again = this.#chance(0.3) ? await recordCheck(this.#ledger, step.check, answer, policy) : null;
    return [due, step, recorded, again];
  }

  async #operator(): Promise<unknown> {
    const { account, watch, folder } = this.#who;
    const { batches } = await listPendingBatches(this.#ledger, account.id, { limit: 100, waiting: true });
    const first = batches[0]?.id;
    const inDoubt = await listBatchesInDoubt(this.#ledger, account.id);
    const reviewed = await this.#findReviewed();
    const how = this.#chance(0.5) ? 'release' : 'leave';
    const acts: readonly (() => Promise<unknown>)[] = [
      async () => (first === undefined ? null : cancelBatch(this.#ledger, first, 'an operator')),
      async () =>
        first === undefined ? null : reviewBatch(this.#ledger, first, { code: 'lookup_refused', text: 'no' }),
      async () =>
        reviewed === null
          ? null
          : listReviewedWith(this.#ledger, reviewed, this.#chance(0.5) ? 'parts' : 'same-reason'),
      async () => (reviewed === null ? null : resolveNeedsReview(this.#ledger, reviewed, how)),
      async () => (reviewed === null ? null : resolveNeedsReview(this.#ledger, reviewed, how)),
      () => releaseUrl(this.#ledger, watch.id, shopUrl(`${folder}/${Math.floor(this.#random() * PAGES)}`)),
      () => releaseQuarantined(this.#ledger, watch.id, { kind: 'all' }),
      () => recordBalance(this.#ledger, account.id, timesMicros(QUARTER, Math.floor(this.#random() * 50))),
      () =>
        this.#chance(0.5) ? retryUnfunded(this.#ledger, account.id) : endStops(this.#ledger.db, account.id, 'key'),
      () => resumeWithinCaps(this.#ledger, account, () => watch),
    ];
    return [inDoubt, { batch: reviewed }, await pick(this.#random, acts)()];
  }

  async #findReviewed(): Promise<BatchId | null> {
    for (const { purchases } of await this.#pages()) {
      for (const { batch, batchState } of purchases) if (batchState === 'needs_review') return batch;
    }
    return null;
  }

  /** A job that the ledger did not send. */
  async #history(): Promise<unknown> {
    const { account, watch, folder } = this.#who;
    const urls = Array.from({ length: 1 + Math.floor(this.#random() * 2) }, () =>
      shopUrl(`${folder}/${Math.floor(this.#random() * PAGES)}`),
    );
    const at = this.#ledger.now() - Math.floor(this.#random() * 10 * DAY);
    if (this.#chance(0.3)) {
      const bought = { state: 'completed', generation: 1, failures: 0, boughtAt: at, version: null } as const;
      const known = [...new Set(urls)].map((url) => ({ ...bought, url }));
      return importPurchases(this.#ledger, { account: account.id, watch: watch.id }, known, {
        write: this.#chance(0.8),
      });
    }
    const terminal = this.#chance(0.7);
    return recoverJob(
      this.#ledger,
      { account: account.id, watch: watch.id, baseUrl: account.baseUrl },
      {
        reference: this.#newReference(),
        state: terminal ? 'completed' : 'processing',
        terminal,
        service: watch.service,
        project: watch.project,
        createdAt: at,
        charge: this.#chance(0.5) ? timesMicros(QUARTER, urls.length) : null,
        urls: urls.map((url) => ({ url, result: terminal ? 'completed' : 'open', reason: null })),
      },
    );
  }

  async #pages() {
    const { folder, watch } = this.#who;
    const all = await Promise.all(
      Array.from({ length: PAGES }, (_, n) => getUrlHistory(this.#ledger, shopUrl(`${folder}/${n}`))),
    );
    return all.flat().filter((each) => each.watch === watch.id);
  }

  async #view(): Promise<unknown> {
    const { account, watch, calm } = this.#who;
    const pages = await this.#pages();
    const quarantined = await listQuarantined(this.#ledger, { watch: watch.id });
    if (calm) return { pages, quarantined };
    return {
      pages,
      quarantined,
      jobs: await countJobs(this.#ledger.db, account.id, 100),
      pending: await listPendingBatches(this.#ledger, account.id, { limit: 100, waiting: true }),
      open: await listOpenSubmissions(this.#ledger, account.id),
      status: await getAccountStatus(this.#ledger, account.id),
      balance: await findBalance(this.#ledger.db, account.id),
      needsBalance: await needsFreshBalance(this.#ledger, account),
      waiting: await getWaitingMoney(this.#ledger, account.id),
      last: this.#last,
    };
  }

  /** With the numbers of rows in the order in which this life has met them. */
  #renumber(reported: unknown): unknown {
    const renumbered = (kind: string, id: unknown): number => {
      const key = `${kind} ${id}`;
      const known = this.#numbers.get(key);
      if (known !== undefined) return known;
      this.#numbers.set(key, this.#numbers.size);
      return this.#numbers.size - 1;
    };
    const text = JSON.stringify(reported, (name, value: unknown) => {
      // A price is learned from any watch of the account.
      if (name === 'basis' && this.#who.calm) return undefined;
      const kind = ROW_NUMBERS.get(name);
      if (Array.isArray(value) && LISTS_OF_BATCHES.has(name)) return value.map((id) => renumbered('batch', id));
      if (kind !== undefined && typeof value === 'number') return renumbered(kind, value);
      return typeof value === 'string'
        ? value.replace(/\b[Bb]atch (\d+)/g, (_, id) => `batch ${renumbered('batch', Number(id))}`)
        : value;
    });
    return JSON.parse(text);
  }
}

const LISTS_OF_BATCHES: ReadonlySet<string> = new Set(['children', 'certain', 'inDoubt']);
/** Fields that hold the number of a row, and of which kind. */
const ROW_NUMBERS: ReadonlyMap<string, string> = new Map([
  ['id', 'batch'],
  ['batch', 'batch'],
  ['check', 'check'],
  ['run_id', 'run'],
  ['watch_id', 'watch'],
]);
