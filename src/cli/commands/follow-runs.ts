import type { Client } from '@temporalio/client';
import { formatTry, type Micros, sumMicros, ZERO } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import type { Watch } from '../../config/config.ts';
import { activeRun, followRun, startRun } from '../../connector/run-client.ts';
import { newRunName } from '../../connector/run-name.ts';
import { createStallDetector } from '../../connector/stall-detector.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { getEarlierBatches } from '../../ledger/reports/earlier-work.ts';
import { listHeldRuns } from '../../ledger/reports/held-runs.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import type { RunId } from '../../submission/ids.ts';
import { renderReason } from '../../submission/reason.ts';
import { WATCH_PHASE } from '../../temporal-api/phases.ts';
import type { WatchSitemap } from '../../temporal-api/workflows.ts';
import { type Ending, toCommandError } from '../output/command.ts';
import { formatCharge, formatCount } from '../output/format.ts';
import { listNotices, type Notices } from '../output/notices.ts';
import { formatSaved } from '../output/politeness.ts';
import { openStages, type Stages, showRunProgress } from '../output/progress.ts';
import { toRunRecord } from '../output/records/run.ts';

/** What `courier run` was asked for. */
export interface RunsToFollow {
  readonly watches: readonly Watch[];
  readonly until: 'accepted' | 'terminal';
  readonly maxCost: Micros | null;
  /** Ends the command after this long without a response of the service, in milliseconds. */
  readonly timeoutMs: number;
  /** The worker is this process. */
  readonly here: boolean;
}

export interface Following {
  readonly output: Output;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly runs: RunsToFollow;
}

interface EndedRun extends Notices {
  readonly watch: Watch;
  readonly run: string;
  readonly result: Awaited<ReturnType<typeof followRun>>;
}

/** Starts a run of each watch and follows all of them to their end. One that fails does not end the others. */
export async function followRuns(following: Following): Promise<Ending> {
  const { output, runs } = following;
  const stages = openStages(output, runs.watches.length);
  const ended = await Promise.allSettled(runs.watches.map((watch) => runWatch(following, stages, watch)));
  stages.end();
  const codes: ExitCode[] = [];
  let charged: Micros = ZERO;
  for (const each of ended) {
    if (each.status === 'rejected') {
      const error = toCommandError(each.reason);
      if (error === null) throw each.reason;
      output.warn(error.message);
      codes.push(error.exitCode);
      continue;
    }
    for (const run of each.value) {
      showRun(output, run);
      codes.push(run.exitCode);
      charged = sumMicros(charged, run.result.report?.charged ?? ZERO);
    }
  }
  return { exitCode: pickWorst(codes), summary: { watches: runs.watches.length, charged_micros: charged } };
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
  const name = newRunName(Date.now(), Math.random());
  const handle = await startRun(client, ledger.id, watch, runs.until, name, { maxCost: runs.maxCost });
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
  { client, ledger, runs }: Following,
  stages: Stages,
  watch: Watch,
  handle: Awaited<ReturnType<typeof startRun>>,
  { decided = false }: { readonly decided?: boolean } = {},
): Promise<EndedRun> {
  const run = handle.workflowId as RunId;
  const detectStall = createStallDetector(client, ledger, watch, run, runs.timeoutMs);
  const result = await followRun(handle, ledger, async (progress) => {
    // A run that was just decided on shows its hold until it has recorded the decision.
    if (progress.phase === WATCH_PHASE.held && !decided) throw await toHeld(ledger, watch, run);
    showRunProgress(stages, watch.id, progress);
    await detectStall(progress);
  });
  const review = await listBatches(ledger, { run, state: 'needs_review' });
  return {
    watch,
    run,
    result,
    ...listNotices(watch, result, { review, earlier: await getEarlierBatches(ledger, run) }),
  };
}

function showRun(output: Output, { watch, run, result, sentences, exitCode }: EndedRun): void {
  const { counts, report: sums } = result;
  output.record(toRunRecord({ watch: watch.id, run }, result, sentences));
  const line =
    `${watch.id}: ${formatCount(counts.found)} found, ${formatCount(counts.new)} new, ` +
    `${formatCount(sums?.submitted ?? 0)} submitted, ${formatCount(sums?.completed ?? 0)} completed, ` +
    `${formatCount(sums?.failed ?? 0)} failed, charged ${sums === null ? formatTry(ZERO) : formatCharge(sums)}`;
  const saved = result.crawl.saved;
  const unchanged = saved === undefined || saved.sitemaps === 0 ? [] : [`${watch.id}: ${formatSaved(saved)}`];
  report(output, exitCode, [line, ...unchanged, ...sentences]);
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
