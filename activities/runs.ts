import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import { computeMissing, getWaitingMoney } from '../src/ledger/money/waiting-money.ts';
import type { PlanInput } from '../src/ledger/plans/allowance.ts';
import { listOpenAccounts } from '../src/ledger/plans/find-open-work.ts';
import { judgeRun } from '../src/ledger/plans/judge-run.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { releaseCovered } from '../src/ledger/plans/release-covered.ts';
import { countOpenJobs, getEarlierBatches } from '../src/ledger/reports/earlier-work.ts';
import { listFirstPlanned } from '../src/ledger/reports/planned-urls.ts';
import { getRunProgress, getRunSummary } from '../src/ledger/reports/run-summary.ts';
import { getWatchFigures } from '../src/ledger/reports/watch-figures.ts';
import { countWaitingRuns } from '../src/ledger/runs/count-waiting-runs.ts';
import { decideRun, findDecision } from '../src/ledger/runs/decide-run.ts';
import type { RunHold } from '../src/ledger/runs/run-hold.ts';
import { beginRun, endRun, getRun } from '../src/ledger/runs/runs.ts';
import { describeRemedy } from '../src/submission/hold-question.ts';
import type { AccountId, RunId, WatchId } from '../src/submission/ids.ts';
import { formatInstantIn } from '../src/submission/instant.ts';
import { renderReason } from '../src/submission/reason.ts';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import type {
  GuardHold,
  HoldQuestion,
  PlanRunInput,
  PlanWithSample,
  RunCounts,
  RunDecided,
  RunReport,
  RunVerdict,
  WatchRun,
} from '../src/temporal-api/payloads.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import { ensureDispatcher, wakeDispatcher } from '../src/temporal-api/wake-dispatcher.ts';
import { refreshAccount } from './balance-witness.ts';
import type { Deps } from './deps.ts';
import { describeRunWait } from './describe-run-wait.ts';
import { toRunReport } from './run-report.ts';
import { runStart } from './run-start.ts';
import { computeRunWait } from './run-wait.ts';
import { countAttempts, getZone } from './shown-waits.ts';

/** A scheduled run ends after this long at the latest, so that the watch is crawled again. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

/**
 * Every tenth poll of a run starts the dispatcher if none runs: one that had ended does not know that an older copy of the
 * ledger, with batches to send, came back. Jobs have trackers, so for jobs alone it is every sixtieth. A
 * wait that is shown has fewer polls: every one and every tenth.
 */
function shouldEnsureDispatcher(attempt: number, toSend: number, isShown: boolean): boolean {
  if (isShown) return toSend > 0 || attempt % 10 === 0;
  return attempt % (toSend > 0 ? 10 : 60) === 0;
}

const EXAMPLES = 5;

/** The activities of a run: its ledger work, and the dispatcher's wake-up. */
export function runActivities(deps: Deps) {
  const { ledger, getWatch, getAccount, client, now, emit } = deps;
  const inputOf = ({ watch, account }: WatchRun): PlanInput => ({
    watch: getWatch(watch),
    account: getAccount(account),
  });

  return {
    async beginRun(run: WatchRun): Promise<void> {
      const start = runStart(getWatch(run.watch), run.run);
      const begun = await beginRun(ledger, start);
      if (begun.kind === 'begun') return;
      if (await isRunning(deps, begun.run)) throw runActive(run, begun.run);
      // Its workflow was terminated, so nothing else would end it.
      await endRun(ledger, begun.run, 'abandoned');
      emit({ kind: 'run_abandoned', watch: run.watch, account: run.account, run: begun.run });
      if ((await beginRun(ledger, start)).kind === 'active') throw runActive(run, begun.run);
    },

    diffRun: ({ run, complete }: WatchRun & { readonly complete: boolean }): Promise<RunCounts> =>
      diffRun(ledger, run, { complete, configured: [...deps.config.watches.keys()] }),

    async judgeRun(run: WatchRun): Promise<GuardHold | null> {
      const refresh = () => refreshAccount(deps, run.account);
      const hold = await judgeRun(ledger, run.run, getWatch(run.watch).guard, { input: inputOf(run), refresh });
      if (hold === null) return null;
      const reasons = hold.reasons.map(renderReason);
      emit({ kind: 'run_held', watch: run.watch, account: run.account, run: run.run, reasons });
      const remedy = describeRemedy(hold.reasons);
      return {
        ...{ reasons, sample: hold.sample, question: await askApproval(deps, run, hold) },
        waitsForMoney: remedy !== null,
        ...(remedy === null ? {} : { remedy }),
      };
    },

    async findDecision(run: WatchRun): Promise<RunDecided | null> {
      const decided = await findDecision(ledger, run.run);
      // Without its settings nothing can be asked; the decision can still come.
      if (decided !== null || !deps.config.watches.has(run.watch)) return decided;
      const refresh = () => refreshAccount(deps, run.account);
      return (await releaseCovered(ledger, run.run, inputOf(run), refresh)) ? findDecision(ledger, run.run) : null;
    },

    async recordDecision({
      decision,
      by,
      ...run
    }: WatchRun & { decision: 'approved' | 'rejected'; by: string }): Promise<void> {
      await decideRun(ledger, run.run, decision, by);
      emit({ kind: 'run_decided', ...run, decision, by });
    },

    async planRun({ maxCost, ...run }: PlanRunInput): Promise<PlanWithSample> {
      // Whoever approves has just topped up, or read a price: what was decided is planned by the current figures.
      if ((await getRun(ledger.db, run.run)).decision === null) await deps.confirmAccount(run.account);
      else await refreshAccount(deps, run.account);
      const { batches, urls, cost, basis, held, heldReason } = await planRun(ledger, run.run, {
        ...inputOf(run),
        maxCost: maxCost ?? null,
      });
      const sample = batches === 0 ? [] : await listFirstPlanned(ledger.db, run.run, EXAMPLES);
      return { batches, urls, cost, basis, held, heldReason, sample };
    },

    /** Besides the run's account those that no watch has any more: no run of theirs would wake them. */
    async wakeDispatcher({ account }: { account: AccountId }): Promise<void> {
      await wakeDispatcher(client, ledger.id, account);
      const left = listAccountsWithoutWatch(deps.config).filter((id) => id !== account);
      for (const id of await listOpenAccounts(ledger.db, left)) await ensureDispatcher(client, ledger.id, id);
    },

    async awaitRun({
      run,
      watch,
      account,
      until,
      waits,
    }: WatchRun & CanWait & { readonly until: 'accepted' | 'terminal' }): Promise<RunReport> {
      const report = async () => toRunReport(await getRunSummary(ledger, run));
      const progress = await getRunProgress(ledger, run);
      const { due } = await getEarlierBatches(ledger, run);
      const open = until === 'accepted' ? 0 : await countOpenJobs(ledger, run);
      if (progress.unanswered + due + open === 0) return report();
      if (hasLeft(deps.config, watch, account)) {
        // What goes on in the old account must not delay the next run, which begins in the new one.
        if (deps.config.accounts.has(account)) await ensureDispatcher(client, ledger.id, account);
        return report();
      }
      const since = waits?.since ?? Context.current().info.scheduledTimestampMs;
      const ageMs = now() - since;
      // Anything that waits longer waits for money or a cap. The dispatcher continues it; it must not delay the next run.
      if (until === 'accepted' && ageMs > LONGEST_WAIT_MS) return report();
      const attempt = countAttempts(waits);
      const isShown = (waits?.attempts ?? 0) > 0;
      if (shouldEnsureDispatcher(attempt, progress.unanswered + due, isShown)) {
        await ensureDispatcher(client, ledger.id, account);
      }
      const { text, isStuck } = await describeRunWait(ledger, getAccount(account), { progress, earlier: due, open });
      const waiting = await countWaitingRuns(ledger);
      throw retryLater(computeRunWait(ageMs, waiting, isStuck), text);
    },

    async finishRun({ watch, account, run }: WatchRun): Promise<RunVerdict> {
      await endRun(ledger, run, 'finished');
      const { complete, found, changed, gone, submitted, held, heldReason, unanswered, charged, ...summary } =
        await getRunSummary(ledger, run);
      emit({
        kind: 'run_ended',
        watch,
        account,
        run,
        complete,
        found,
        new: summary.new,
        changed,
        gone,
        submitted,
        held,
        heldReason,
        unanswered,
        charged,
      });
      const { failedRuns } = await getWatchFigures(ledger, watch);
      return { incompleteRuns: complete ? 0 : failedRuns, limit: deps.config.notify.failedRuns };
    },
  };
}

/** Whether the watch belongs to another account by now. One that is not configured belongs to none. */
const hasLeft = ({ watches }: Deps['config'], watch: WatchId, account: AccountId): boolean =>
  (watches.get(watch)?.account ?? account) !== account;

function listAccountsWithoutWatch({ accounts, watches }: Deps['config']): readonly AccountId[] {
  const used = new Set([...watches.values()].map((watch) => watch.account));
  return [...accounts.keys()].filter((id) => !used.has(id));
}

/** What an approval would buy, and whether the balance covers it. */
async function askApproval(deps: Deps, { watch, account: id }: WatchRun, { forecast }: RunHold): Promise<HoldQuestion> {
  const { ledger, now, getAccount } = deps;
  const missing = computeMissing(await getWaitingMoney(ledger, id), getAccount(id), forecast.cost);
  return { ...forecast, missing, since: formatInstantIn(getZone(deps, { account: id, watch }), now()) };
}

/** Whether the workflow that owns a run still exists to end it. */
async function isRunning({ client }: Deps, run: RunId): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(run).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function runActive({ watch }: WatchRun, other: RunId): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `Another run of ${watch} is active (${other}). This run ended before it crawled or bought anything. The other run ` +
      'continues; wait for it to end.',
    FAILURE_TYPE.runActive,
  );
}
