import type { Client } from '@temporalio/client';
import type { Micros } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Config, Watch } from '../../config/config.ts';
import { createKeyMonitor } from '../../connector/missing-key.ts';
import { activeRun, followRun, startRun } from '../../connector/run-client.ts';
import { newRunName } from '../../connector/run-name.ts';
import { createStallDetector } from '../../connector/stall-detector.ts';
import { createRunWaker } from '../../connector/wake-ended-run.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { listHeldRuns } from '../../ledger/reports/held-runs.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { renderReason } from '../../submission/reason.ts';
import { WATCH_PHASE } from '../../temporal-api/phases.ts';
import type { WatchSitemap } from '../../temporal-api/workflows.ts';
import { type EndedRun, type RunsShown, showRun, showRuns, toEndedRun } from '../output/ended-runs.ts';
import { openStages, type Stages, showRunProgress } from '../output/progress.ts';
import { getAccount } from '../with-ledger.ts';

/** What `courier run` was asked for. */
export interface RunsToFollow {
  readonly watches: readonly Watch[];
  readonly until: 'accepted' | 'terminal';
  readonly maxCost: Micros | null;
  /** Ends the command after this long without a response of the service, in milliseconds. */
  readonly timeoutMs: number;
  /** The worker is this process. */
  readonly here: boolean;
  /**
   * Names of runs that this process has begun without Temporal: their workflows continue them. Each is removed when its
   * workflow has started.
   */
  readonly begun?: Map<WatchId, string>;
}

export interface Following {
  readonly output: Output;
  readonly client: Client;
  readonly config: Config;
  readonly ledger: Ledger;
  readonly runs: RunsToFollow;
}

/** Starts a run of each watch and follows all of them to their end. One that fails does not end the others. */
export async function followRuns(following: Following): Promise<RunsShown> {
  const { output, runs } = following;
  const stages = openStages(output, runs.watches.length);
  const ended = await Promise.allSettled(runs.watches.map((watch) => runWatch(following, stages, watch)));
  stages.end();
  return showRuns(output, ended);
}

/** A run of a watch; before it, where nobody else would, one that an earlier command left unfinished. */
async function runWatch(following: Following, stages: Stages, watch: Watch): Promise<EndedRun[]> {
  const { output, client, ledger, runs } = following;
  const done: EndedRun[] = [];
  const unfinished = runs.here ? await activeRun(client, ledger.id, watch) : null;
  if (unfinished !== null) {
    output.say(`  An earlier run of ${watch.id} has not ended (${unfinished.workflowId}); it continues first.`);
    done.push(await follow(following, stages, watch, unfinished));
  }
  const name = runs.begun?.get(watch.id) ?? newRunName(Date.now(), Math.random());
  const handle = await startRun(client, ledger.id, watch, runs.until, name, { maxCost: runs.maxCost });
  runs.begun?.delete(watch.id);
  return [...done, await follow(following, stages, watch, handle)];
}

/** Follows one run that was decided on to its end, and shows it. */
export async function followDecided(following: Following, watch: Watch, run: string): Promise<ExitCode> {
  const { output, client } = following;
  const stages = openStages(output, 1);
  try {
    const handle = client.workflow.getHandle<WatchSitemap>(run);
    const ended = await follow(following, stages, watch, handle, { decided: true });
    showRun(output, ended);
    return ended.exitCode;
  } finally {
    stages.end();
  }
}

async function follow(
  { output, client, config, ledger, runs }: Following,
  stages: Stages,
  watch: Watch,
  handle: Awaited<ReturnType<typeof startRun>>,
  { decided = false }: { readonly decided?: boolean } = {},
): Promise<EndedRun> {
  const run = handle.workflowId as RunId;
  const wakeEnded = createRunWaker({ client, ledger, now: Date.now }, run, runs.until);
  const account = getAccount(config, watch.account);
  const detectStall = createStallDetector(client, ledger, { watch, account }, run, runs.timeoutMs);
  const { apiKey } = account;
  const giveUpMs = runs.timeoutMs;
  // A worker elsewhere may have the key in another place.
  const checkKey = runs.here
    ? createKeyMonitor({ watch: watch.id, apiKey, giveUpMs, now: Date.now, warn: output.warn })
    : () => undefined;
  const result = await followRun(handle, ledger, async (progress) => {
    checkKey();
    // A run that was just decided on shows its hold until it has recorded the decision.
    if (progress.phase === WATCH_PHASE.held && !decided) throw await toHeld(ledger, watch, run);
    showRunProgress(stages, watch.id, progress);
    await detectStall(progress);
    await wakeEnded(progress);
  });
  return toEndedRun(ledger, watch, run, result);
}

async function toHeld(ledger: Ledger, { id }: Watch, run: RunId): Promise<CommandError> {
  const held = (await listHeldRuns(ledger, id)).find((each) => each.run === run);
  const reasons = held === undefined ? '' : ` (${held.reasons.map(renderReason).join('; ')})`;
  const sample = held === undefined || held.sample.length === 0 ? '' : ` For example ${held.sample.join(', ')}.`;
  return new CommandError(
    EXIT.guard,
    `${id}: a guard holds this run${reasons}. Nothing of it was submitted or charged.${sample} Decide with ` +
      `"courier approve ${run}" or "courier reject ${run}", with --once where no "courier worker" runs.`,
  );
}
