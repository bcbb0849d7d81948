import type { Ledger } from '../ledger/open-ledger.ts';
import { type AcceptedBatch, eachAcceptedBatch } from '../ledger/reports/accepted-batches.ts';
import { DAY } from '../ledger/reports/watch-days.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { computeSpread, type Weighted } from './percentile.ts';
import type { Failure, SlowJob, Stage, StageReport } from './report.ts';

/** URLs of an account that are read back: of more, the newest. */
const MAX_URLS = 500_000;
/** A service may give each URL a reason of its own: what is more is counted, not listed. */
const MAX_REASONS = 1_000;
const SHOWN_REASONS = 12;
const SHOWN_JOBS = 10;

/** How long URLs took to reach each stage, by the day on which they reached it. */
export type StageTimes = Readonly<Record<Stage, Map<number, Weighted[]>>>;

export interface Purchases {
  readonly times: StageTimes;
  readonly failures: readonly Failure[];
  readonly otherFailures: number;
  readonly slowest: readonly SlowJob[];
  readonly purchasesSince: number | null;
}

/** Reads what was bought since then once, newest first. */
export async function collectPurchases(
  ledger: Ledger,
  accounts: readonly AccountId[],
  watches: ReadonlySet<WatchId>,
  since: number,
): Promise<Purchases> {
  const times: StageTimes = { accepted: new Map(), completed: new Map(), found: new Map() };
  const reasons = new Map<string | null, number>();
  let otherFailures = 0;
  let slowest: SlowJob[] = [];
  let whole = since;
  for (const account of accounts) {
    let oldest = since;
    const batches = eachAcceptedBatch(ledger, account, { since, maxUrls: MAX_URLS });
    let step = await batches.next();
    for (; step.done !== true; step = await batches.next()) {
      const { value: batch } = step;
      oldest = batch.acceptedAt;
      if (!watches.has(batch.watch)) continue;
      addTimes(times, batch);
      otherFailures += addFailures(reasons, batch);
      const job = batch.endedAt === null ? null : toSlowJob(batch, batch.endedAt);
      if (job !== null && (slowest.length < SHOWN_JOBS || job.ms > (slowest.at(-1)?.ms ?? 0)))
        slowest = [...slowest, job].sort((a, b) => b.ms - a.ms).slice(0, SHOWN_JOBS);
    }
    // A day that is read in part would look as if less had been bought on it.
    if (step.value === 'more') whole = Math.max(whole, (Math.floor(oldest / DAY) + 1) * DAY);
  }
  const failures = [...reasons].map(([reason, urls]) => ({ reason, urls })).sort((a, b) => b.urls - a.urls);
  otherFailures += failures.slice(SHOWN_REASONS).reduce((sum, { urls }) => sum + urls, 0);
  return {
    times,
    failures: failures.slice(0, SHOWN_REASONS),
    otherFailures,
    slowest,
    purchasesSince: whole === since ? null : whole,
  };
}

/** Returns how many URLs have a reason that is not listed any more. */
function addFailures(reasons: Map<string | null, number>, { groups }: AcceptedBatch): number {
  let others = 0;
  for (const { result, reason, urls } of groups) {
    if (result !== 'failed') continue;
    if (reasons.has(reason) || reasons.size < MAX_REASONS) reasons.set(reason, (reasons.get(reason) ?? 0) + urls);
    else others += urls;
  }
  return others;
}

function addTimes(times: StageTimes, { acceptedAt, endedAt, groups }: AcceptedBatch): void {
  for (const { newSince, result, urls } of groups) {
    if (newSince === null) continue;
    addTime(times.accepted, acceptedAt, newSince, urls);
    if (result === 'completed' && endedAt !== null) addTime(times.completed, endedAt, newSince, urls);
  }
}

/** A clock that was set back does not make a time negative. */
export function addTime(days: Map<number, Weighted[]>, at: number, since: number, urls: number): void {
  const day = Math.floor(at / DAY) * DAY;
  const values = days.get(day) ?? [];
  values.push([Math.max(0, at - since), urls]);
  days.set(day, values);
}

const toSlowJob = ({ batch, watch, reference, urls, acceptedAt }: AcceptedBatch, endedAt: number): SlowJob => ({
  batch,
  watch,
  reference,
  urls,
  acceptedAt,
  ms: Math.max(0, endedAt - acceptedAt),
});

export function toStageReport(stage: Stage, days: ReadonlyMap<number, readonly Weighted[]>): StageReport {
  return {
    stage,
    all: computeSpread([...days.values()].flat()),
    days: [...days]
      .sort(([a], [b]) => a - b)
      .flatMap(([day, values]) => {
        const spread = computeSpread(values);
        return spread === null ? [] : [{ day, ...spread }];
      }),
  };
}
