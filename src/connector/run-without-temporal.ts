import { observeCrawl } from '../../activities/observe-crawl.ts';
import { toRunReport } from '../../activities/run-report.ts';
import { runStart } from '../../activities/run-start.ts';
import type { Micros } from '../../contract/money.ts';
import { type Config, requireAccount, type Watch } from '../config/config.ts';
import { diffRun } from '../ledger/crawl/diff-run.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { judgeRun } from '../ledger/plans/judge-run.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { surveyDue } from '../ledger/plans/survey-due.ts';
import { getRunSummary } from '../ledger/reports/run-summary.ts';
import { beginRun, endRun, getRun, touchRun } from '../ledger/runs/runs.ts';
import type { RunId } from '../submission/ids.ts';
import { watchWorkflowId } from '../temporal-api/ids.ts';
import type { WatchResult } from '../temporal-api/workflows.ts';
import { OperationError } from './operation-error.ts';
import { refreshAccount } from './refresh-account.ts';

export type LocalRun =
  | { readonly kind: 'ended'; readonly run: RunId; readonly result: WatchResult }
  /**
   * Temporal must carry it: something is due, a guard holds it, or another run is open. `begun`: it is in the ledger under
   * its name, and a workflow of that name continues it as after the end of a worker.
   */
  | { readonly kind: 'open'; readonly begun: boolean };

export interface LocalRunOptions {
  /** The name of the run, as `newRunName` makes it. */
  readonly name: string;
  readonly maxCost: Micros | null;
  readonly signal: AbortSignal;
  readonly onProgress: (urls: number) => void;
  /** Repeats a step while the ledger cannot be used. Each of them may be repeated, as by a worker's activities. */
  readonly wait: <T>(step: () => Promise<T>) => Promise<T>;
}

/**
 * A run of a watch as its workflow does it, step by step, as long as nothing is to be sent: begin, crawl, compare, judge,
 * plan, end. What it finds due it leaves unplanned. Throws an OperationError (run_active) when another run takes over.
 */
export async function runWithoutTemporal(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  watch: Watch,
  { name, maxCost, signal, onProgress, wait }: LocalRunOptions,
): Promise<LocalRun> {
  const run = watchWorkflowId(ledger.id, watch.id, name) as RunId;
  const input = { watch, account: requireAccount(config, watch.account), maxCost };
  if ((await wait(() => beginRun(ledger, runStart(watch, run)))).kind === 'active')
    return { kind: 'open', begun: false };
  const refresh = () => refreshAccount({ config, ledger }, watch.account, signal);
  let soFar = (): number => 0;
  /** What an earlier attempt has read to its end is not read again. */
  const crawlOn = () => {
    const crawling = observeCrawl(ledger, watch, run, signal);
    soFar = () => crawling.soFar().urls;
    return crawling.report;
  };
  const ticker = setInterval(() => {
    onProgress(soFar());
    // An error here belongs to the work below, which reports it.
    touchRun(ledger, run).catch(() => undefined);
  }, 1_000);
  let isHandedOver = false;
  try {
    const crawl = await wait(crawlOn);
    signal.throwIfAborted();
    const configured = [...config.watches.keys()];
    const counts = await wait(() => diffRun(ledger, run, { complete: crawl.complete, configured }));
    const hold = await wait(() => judgeRun(ledger, run, watch.guard, { input, refresh }));
    if (hold === null && !(await wait(() => hasDueUrls(ledger, run, watch)))) {
      const { batches, urls, cost, basis, held, heldReason } = await wait(() => planRun(ledger, run, input));
      // Nothing was due a moment ago; a URL that became due since is handled like every other.
      if (urls + held === 0) {
        const report = toRunReport(await getRunSummary(ledger, run));
        await endRun(ledger, run, 'finished');
        const plan = { batches, urls, cost, basis, held, heldReason };
        return { kind: 'ended', run, result: { crawl, counts, plan, report, decision: 'none needed' } };
      }
    }
    isHandedOver = true;
    return { kind: 'open', begun: true };
  } catch (error) {
    throw error instanceof LedgerError && error.code === 'RUN_ENDED' ? takenOver(watch) : error;
  } finally {
    clearInterval(ticker);
    // Changes nothing once it has ended.
    if (!isHandedOver) await endRun(ledger, run, 'abandoned');
  }
}

async function hasDueUrls(ledger: Ledger, run: RunId, watch: Watch): Promise<boolean> {
  const { watch_id: watchId } = await getRun(ledger.db, run);
  return (await surveyDue(ledger.db, watchId, watch, ledger.now())).total > 0;
}

const takenOver = ({ id }: Watch): OperationError =>
  new OperationError(
    'run_active',
    `Another run of ${id} took over (a worker's). This command submitted and charged nothing. Wait for the other run to end.`,
  );
