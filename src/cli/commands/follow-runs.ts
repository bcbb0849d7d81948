import type { Client } from '@temporalio/client';
import type { Micros } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Config, Watch } from '../../config/config.ts';
import { explainActiveRun } from '../../connector/explain-active-run.ts';
import { explainActiveBuild } from '../../connector/explain-builds.ts';
import { createKeyMonitor } from '../../connector/missing-key.ts';
import { OperationError } from '../../connector/operation-error.ts';
import { readMoneyFirst } from '../../connector/read-money-first.ts';
import { releaseHeld } from '../../connector/release-held.ts';
import { activeRun, followRun, startRun } from '../../connector/run-client.ts';
import { newRunName } from '../../connector/run-name.ts';
import { createStallDetector } from '../../connector/stall-detector.ts';
import { createRunWaker } from '../../connector/wake-ended-run.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { listHeldRuns } from '../../ledger/reports/held-runs.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { WATCH_PHASE } from '../../temporal-api/phases.ts';
import type { WatchSitemap } from '../../temporal-api/workflows.ts';
import { type EndedRun, type RunsShown, showRun, showRuns, toEndedRun } from '../output/ended-runs.ts';
import { describeHeld } from '../output/held.ts';
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
  /** Aborted when the command ends early, which fails the requests that are under way. */
  readonly ended?: AbortSignal;
}

/** Starts a run of each watch and follows all of them to their end. One that fails does not end the others. */
export async function followRuns(following: Following): Promise<RunsShown> {
  const { output, runs } = following;
  const accounts = runs.watches.map(({ account }) => account);
  await readMoneyFirst(following, accounts);
  const stages = openStages(output, runs.watches.length);
  /** Its own requests were cancelled: nothing is wrong with the server, and the run goes on. */
  const isCut = () => following.ended?.aborted === true;
  const followOne = (watch: Watch) =>
    runWatch(following, stages, watch).catch((error: unknown) => {
      if (isCut()) return [];
      throw error;
    });
  const ended = await Promise.allSettled(runs.watches.map(followOne));
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
    const ended = await follow(following, stages, watch, handle, { goesOn: true });
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
  { goesOn = false }: { readonly goesOn?: boolean } = {},
): Promise<EndedRun> {
  // A run that was just decided on or released shows its hold until it has read that.
  let isOver = goesOn;
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
  const followed = followRun(handle, ledger, async (progress) => {
    checkKey();
    if (progress.phase === WATCH_PHASE.held && !isOver) {
      isOver = await releaseHeld({ client, config, ledger }, watch, run);
      if (!isOver) throw await toHeld(ledger, watch, run);
    }
    showRunProgress(stages, watch.id, progress);
    await detectStall(progress);
    await wakeEnded(progress);
  });
  const result = await followed.catch(async (error: unknown) => {
    if (!(error instanceof OperationError) || error.failure !== 'run_active') throw error;
    const money = await explainActiveRun(ledger, watch, account);
    throw money ?? (await explainActiveBuild(client, ledger.id, watch.id)) ?? error;
  });
  return toEndedRun({ config, ledger }, watch, run, result);
}

/** Why a run is held, what it would buy for how much, and what ends that: money by itself, a guard by a decision. */
async function toHeld(ledger: Ledger, { id }: Watch, run: RunId): Promise<CommandError> {
  const held = (await listHeldRuns(ledger, id)).find((each) => each.run === run);
  const decide = `"courier approve ${run}" or "courier reject ${run}", with --once where no "courier worker" runs`;
  if (held === undefined)
    return new CommandError(
      EXIT.guard,
      `${id}: a guard holds this run. Nothing of it was bought. Decide with ${decide}.`,
    );
  const { exitCode, question, remedy } = describeHeld(held);
  const sample = held.sample.length === 0 ? '' : ` For example ${held.sample.join(', ')}.`;
  const next = remedy === null ? `Decide with ${decide}.` : `${remedy}. You can also decide with ${decide}.`;
  return new CommandError(exitCode, `${id}: ${question}. Nothing of it was submitted or charged.${sample} ${next}`);
}
