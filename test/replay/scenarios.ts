import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Micros } from '../../contract/money.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, WatchId } from '../../src/submission/ids.ts';
import type { Activities } from '../../src/temporal-api/activities.ts';
import type {
  CrawlReport,
  GuardHold,
  JobStatus,
  PlanWithSample,
  RunCounts,
  RunReport,
  TrackInput,
} from '../../src/temporal-api/payloads.ts';
import { checkIndex, dispatchAccount, trackSubmission, watchSitemap } from '../../workflows/index.ts';
import { withWorker } from '../support/temporal.ts';
import { recordHistory } from './recordings.ts';

export const account = 'main' as AccountId;
export const watch = 'shop' as WatchId;
const counts: RunCounts = {
  found: 10,
  new: 7,
  changed: 0,
  known: 3,
  gone: 0,
  skipped: 0,
  complete: true,
  firstRun: false,
};
/** What the crawl of a site with ten pages reports. */
export const crawl: CrawlReport = {
  urls: 10,
  sitemaps: 1,
  complete: true,
  problems: [],
  unmatchedRules: [],
  saved: { sitemaps: 0, bytes: 0, ms: 0 },
};
export const plan: PlanWithSample = {
  batches: 1,
  urls: 7,
  cost: 1_750_000 as Micros,
  basis: 'learned',
  held: 0,
  heldReason: null,
  sample: ['https://shop.example/1', 'https://shop.example/2'],
};
export const HOLD: GuardHold = {
  reasons: ['4,210 new URLs, more than max_new 50'],
  sample: ['https://shop.example/odd'],
  question: {
    urls: 4_210,
    cost: 1_052_500_000 as Micros,
    allowed: 4_000,
    missing: 52_500_000 as Micros,
    since: '2026-01-31 04:30 Europe/Istanbul',
  },
  waitsForMoney: false,
};
export const report: RunReport = {
  batches: 1,
  submitted: 7,
  completed: 7,
  failed: 0,
  open: 0,
  quarantined: 0,
  withoutResult: 0,
  stopped: 0,
  charged: 1_750_000 as Micros,
  unknownChargeUrls: 0,
  unanswered: 0,
};

/** What an activity throws to be retried later (see src/temporal-api/retry-later.ts). */
export const later = (ms: number) =>
  ApplicationFailure.create({ type: 'NotYet', nextRetryDelay: ms, category: ApplicationFailureCategory.BENIGN });

export function runActivities(over: Partial<Activities> = {}): Partial<Activities> & { calls: string[] } {
  const calls: string[] = [];
  const note =
    <T>(name: string, value: T) =>
    async () => {
      calls.push(name);
      return value;
    };
  return {
    beginRun: note('beginRun', undefined),
    crawlWatch: note('crawlWatch', crawl),
    diffRun: note('diffRun', counts),
    judgeRun: note('judgeRun', null),
    findDecision: note('findDecision', null),
    recordDecision: note('recordDecision', undefined),
    planRun: note('planRun', plan),
    wakeDispatcher: note('wakeDispatcher', undefined),
    awaitRun: note('awaitRun', report),
    finishRun: note('finishRun', { incompleteRuns: 0, limit: 2 }),
    ...over,
    calls,
  } as Partial<Activities> & { calls: string[] };
}

export const events = async (handle: WorkflowHandle): Promise<number> =>
  (await handle.fetchHistory()).events?.length ?? 0;

export async function started(t: TestContext, activities: Partial<Activities>) {
  const { client, taskQueue, address, beforeEnd } = await withWorker(t, activities);
  const options = { taskQueue, workflowId: randomUUID() };
  const recorded = async <H extends WorkflowHandle>(scenario: string, starting: Promise<H>): Promise<H> => {
    const handle = await starting;
    beforeEnd(() => recordHistory(scenario, address, handle.workflowId));
    return handle;
  };
  return {
    watch: (scenario: string) =>
      recorded(
        scenario,
        client.workflow.start(watchSitemap, { ...options, args: [{ watch, account, until: 'terminal' }] }),
      ),
    dispatch: (scenario: string) =>
      recorded(scenario, client.workflow.start(dispatchAccount, { ...options, args: [{ account }] })),
    track: (scenario: string, input: Partial<TrackInput> = {}) =>
      recorded(scenario, client.workflow.start(trackSubmission, { ...options, args: [{ ...job, ...input }] })),
    check: (scenario: string) =>
      recorded(scenario, client.workflow.start(checkIndex, { ...options, args: [{ watch, account }] })),
    client,
  };
}

const job: TrackInput = {
  account,
  watch,
  batch: 1 as BatchId,
  key: 'sc1-0' as IdempotencyKey,
  reference: 'REF-1' as Reference,
  service: 'fast',
  urls: 7,
  acceptedAt: 0,
  firstPollMs: 10,
  charged: 1_750_000 as Micros,
  firstPollAt: '2026-01-31 04:30 Europe/Istanbul',
  showsPolls: false,
};
export const toStatus = (state: string, terminal = false): JobStatus => ({
  state,
  terminal,
  completed: terminal ? 7 : 0,
  failed: 0,
  overdue: false,
});
