import type { AccountId, WatchId } from '../../../src/submission/ids.ts';
import { dispatcherWorkflowId, getTaskQueue } from '../../../src/temporal-api/ids.ts';
import { wakeSignal } from '../../../src/temporal-api/messages.ts';
import { WORKFLOW } from '../../../src/temporal-api/workflows.ts';
import { planBatch } from '../../simulation/plan-batches.ts';
import { seeded } from '../../support/seeded.ts';
import { createClient } from '../temporal/client.ts';
import { NO_CAPS } from './oracle/caps-rule.ts';
import { compareCharges } from './oracle/compare-charges.ts';
import { onTerminal } from './programs.ts';
import { AMPLE, type Scenario } from './scenario.ts';
import { FAILS, SITE } from './site.ts';
import { prepareStores } from './stores.ts';
import { World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** POST /submissions that a key may send in a minute. */
export const LANE = 10;
/**
 * A job that ends partial or failed is read URL by URL, a full one of 5,000 in ten pages of 500: here ten URLs in pages of
 * one. The size of other batches changes nothing about the number of requests.
 */
const URLS = 10;
const URLS_PER_PAGE = 1;
/** Batches that wait when new ones are planned, so that the lane is never idle for want of work. */
const AHEAD = 4 * LANE;
const PLAN_EVERY = MINUTE;
const PRICE = 250_000;
const WATCHES = 24;

export interface DayOptions {
  readonly batches: number;
  /** Of 1: jobs that end partial or failed, one half each. */
  readonly notCompleted: number;
  readonly workers: number;
}

export interface DayPlayed {
  readonly batches: number;
  /** Batches whose job has ended, by the state of the job. */
  readonly ended: ReadonlyMap<string, number>;
  /** Answers of the service, by method and status. */
  readonly answers: ReadonlyMap<string, number>;
  /** From the first submission to the last, as the service saw them, in milliseconds. */
  readonly sentForMs: number;
  /** Submissions as the service saw them. */
  readonly sent: number;
  readonly charged: number;
  readonly elapsedMs: number;
  readonly events: number;
  readonly digest: string;
  readonly breaches: readonly string[];
}

const listWatches = () => new Map(Array.from({ length: WATCHES }, (_, n) => [`w${n}`, []]));

const SCENARIO: Scenario = {
  ...{ seed: 1, epoch: Date.UTC(2026, 2, 10), configuresPrice: true, caps: NO_CAPS, fails: true, listLagMs: 0 },
  ...{ watches: listWatches(), schedules: new Map(), workers: 3, faultShare: 0, siteFaultShare: 0, tooLarge: null },
  ...{
    balance: AMPLE,
    price: PRICE,
    jobMs: 0,
    latencyMs: 40,
    storageShare: 0,
    suggestAfter: 4_000,
    forgetsKeys: false,
    runPollMs: 30_000,
    pollsSeldom: false,
  },
  ...{ goodAt: 0, acts: [] },
};

/** A key at full speed for a day: batches wait all the time, and jobs end in every way. */
export async function playDay(
  { batches, notCompleted, workers }: DayOptions,
  onHour: (played: DayPlayed) => void = () => undefined,
): Promise<DayPlayed> {
  await prepareStores();
  const random = seeded(14_400);
  const answers = new Map<string, number>();
  const sentAt: number[] = [];
  const world = new World(
    { ...SCENARIO, workers },
    {
      isSticky: true,
      watchSettings: { retry_failed: { times: 0 }, guard: {}, index_check: undefined },
      // The specification: 5 to 10 minutes.
      service: { getJobMs: () => 5 * MINUTE + Math.floor(random() * 5 * MINUTE), urlsPerPage: URLS_PER_PAGE },
      onAnswered({ method, path }, { status }) {
        const answer = `${method} ${status}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        if (method === 'POST' && path.endsWith('/submissions')) sentAt.push(kernel.elapsed);
      },
    },
  );
  const { kernel, oracle, stores } = world;
  let planned = 0;

  function listUrls(batch: number): string[] {
    if (random() >= notCompleted) return [`${SITE}/${batch}`];
    const isPartial = random() < 0.5;
    const fails = (url: number) => !isPartial || url % 3 === 0;
    return Array.from({ length: URLS }, (_, url) => `${SITE}/${batch}/${url}${fails(url) ? FAILS : ''}`);
  }

  async function planAhead(): Promise<void> {
    const [ledger, config] = [await world.openOperatorLedger(), world.readConfig()];
    for (; planned < Math.min(batches, sentAt.length + AHEAD); planned++) {
      const urls = listUrls(planned);
      world.site.publish(
        `day-${planned}`,
        urls.map((url) => ({ url, lastmod: null })),
      );
      await planBatch({ ledger, config }, `w${planned % WATCHES}` as WatchId, String(planned), urls);
    }
    const workflowId = dispatcherWorkflowId(world.ledgerId, 'main' as AccountId);
    if (!world.temporal.isRunning(workflowId)) {
      await createClient(world.temporal, world.operator).workflow.signalWithStart(WORKFLOW.dispatchAccount, {
        ...{ workflowId, taskQueue: getTaskQueue(world.ledgerId), args: [{ account: 'main' }], signal: wakeSignal },
      });
    }
    if (planned < batches) kernel.schedule(PLAN_EVERY, null, () => void onTerminal(planAhead));
  }

  function getPlayed(): DayPlayed {
    const ended = stores.read.ledger
      .prepare('SELECT job_state AS state, count(*) AS n FROM batches WHERE settled_at IS NOT NULL GROUP BY job_state')
      .all() as unknown as { state: string; n: number }[];
    return {
      batches,
      ended: new Map(ended.map(({ state, n }) => [state, n])),
      answers,
      sentForMs: (sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0),
      sent: sentAt.length,
      charged: oracle.charged,
      elapsedMs: kernel.elapsed,
      events: kernel.events,
      digest: kernel.digest(),
      breaches: oracle.breaches,
    };
  }

  try {
    world.start();
    kernel.schedule(MINUTE, null, () => void onTerminal(planAhead));
    const isDone = () =>
      oracle.breaches.length > 0 || (sentAt.length >= batches && world.temporal.listRunning().length === 0);
    // Twice the time that it should take.
    const until = (2 * batches * MINUTE) / LANE + 2 * HOUR;
    while (!isDone() && kernel.elapsed < until) {
      await kernel.play(() => oracle.breaches.length > 0, HOUR);
      onHour(getPlayed());
    }
    oracle.check();
    compareCharges(world);
    return getPlayed();
  } finally {
    await world.close();
  }
}
