import { observeCrawl } from '../../activities/observe-crawl.ts';
import { runStart } from '../../activities/run-start.ts';
import { type Config, requireAccount, type Watch } from '../config/config.ts';
import { diffRun, type RunDiff } from '../ledger/crawl/diff-run.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { PlanInput } from '../ledger/plans/allowance.ts';
import { judgeRun } from '../ledger/plans/judge-run.ts';
import { beginRun, endRun, touchRun } from '../ledger/runs/runs.ts';
import type { RunId } from '../submission/ids.ts';
import type { Reason } from '../submission/reason.ts';
import { watchWorkflowId } from '../temporal-api/ids.ts';
import type { CrawlReport } from '../temporal-api/payloads.ts';
import { OperationError } from './operation-error.ts';
import { refreshAccount } from './refresh-account.ts';
import { newRunName } from './run-name.ts';

/** The result of a run that found URLs and bought none: `applyPlans` can still carry out its plan. */
export interface Preview {
  readonly watch: Watch;
  readonly run: RunId;
  readonly input: PlanInput;
  readonly crawl: CrawlReport;
  readonly diff: RunDiff;
  /** Why a guard would hold the plan; empty when none would. */
  readonly guards: readonly Reason[];
}

const PREFIX = 'plan-';
const ALIVE_MS = 60_000;

/**
 * Crawls a watch whose account is confirmed and compares it with the ledger, as a run that buys nothing. The URLs that it finds
 * are known from then on and stay due until bought. Throws an OperationError (run_active) when another run of the watch is active.
 */
export async function previewWatch(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  watch: Watch,
  signal: AbortSignal,
  onProgress: (urls: number) => void,
): Promise<Preview> {
  const run = watchWorkflowId(ledger.id, watch.id, `${PREFIX}${newRunName(Date.now(), Math.random())}`) as RunId;
  const input = { watch, account: requireAccount(config, watch.account) };
  const refresh = () => refreshAccount({ config, ledger }, watch.account, signal);
  await begin(ledger, watch, run);
  const crawling = observeCrawl(ledger, watch, run, signal);
  const ticker = setInterval(() => {
    onProgress(crawling.soFar().urls);
    // An error here belongs to the work below, which reports it.
    touchRun(ledger, run).catch(() => undefined);
  }, 1_000);
  let end: 'previewed' | 'abandoned' = 'abandoned';
  try {
    const crawl = await crawling.report;
    signal.throwIfAborted();
    const diff = await diffRun(ledger, run, {
      complete: crawl.complete,
      configured: [...config.watches.keys()],
    });
    const held = await judgeRun(ledger, run, watch.guard, { input, refresh });
    end = 'previewed';
    return { watch, run, input, crawl, diff, guards: held?.reasons ?? [] };
  } catch (error) {
    throw error instanceof LedgerError && error.code === 'RUN_ENDED' ? busy(watch, 'a scheduled run took over') : error;
  } finally {
    clearInterval(ticker);
    await endRun(ledger, run, end);
  }
}

async function begin(ledger: Ledger, watch: Watch, run: RunId): Promise<void> {
  const begun = await beginRun(ledger, runStart(watch, run));
  if (begun.kind === 'begun') return;
  // A plan has no workflow to query; a live one renews its heartbeat every second.
  const dead = begun.run.includes(`/${PREFIX}`) && begun.touchedAt < Date.now() - ALIVE_MS;
  if (!dead) throw busy(watch, begun.run);
  await endRun(ledger, begun.run, 'abandoned');
  if ((await beginRun(ledger, runStart(watch, run))).kind === 'active') throw busy(watch, begun.run);
}

function busy({ id }: Watch, other: string): OperationError {
  return new OperationError(
    'run_active',
    `Another run of ${id} is active (${other}). This command planned and charged nothing. ` +
      `Wait for the other run to end; where no worker runs, "courier run ${id} --once" continues it. If "courier status" ` +
      'shows it as held, approve or reject it.',
  );
}
