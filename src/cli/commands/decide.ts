import { userInfo } from 'node:os';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { Command } from 'commander';
import { CommandError, EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { explainWorkflow } from '../../connector/explain-builds.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { findHeldWatch } from '../../ledger/reports/held-runs.ts';
import { findRun } from '../../ledger/runs/runs.ts';
import type { LedgerId, RunId, WatchId } from '../../submission/ids.ts';
import { getPinnedBuild } from '../../temporal/pinned-workflows.ts';
import type { Decision } from '../../temporal-api/messages.ts';
import { action, type Ending } from '../output/command.ts';
import { toUnserved } from '../requirements.ts';
import { createTimeLimit, MAX_TIME_OPTION } from '../time-limit.ts';
import { type CommandContext, getWatch, withLedger } from '../with-ledger.ts';
import { workHere } from '../work-here.ts';
import { followDecided } from './follow-runs.ts';
import { type DecisionKind, type SentDecision, sendDecision, toNotActive } from './send-decision.ts';

export const approveCommand = (command: Command) => configureDecision(command, 'approve');
export const rejectCommand = (command: Command) => configureDecision(command, 'reject');

interface DecisionFlags {
  readonly note?: string;
  readonly once?: boolean;
  readonly maxTime?: string;
}

function configureDecision(command: Command, kind: DecisionKind): void {
  command
    .argument('<run>', 'name of the run, as "courier status" shows it: watch/LEDGER/WATCH/…')
    .option('--note <text>', 'why; kept with your name in the ledger')
    .option('--once', 'work in this process until the run has ended; without it, a "courier worker" does the work')
    .option(...MAX_TIME_OPTION)
    .action(
      action((output, flags, run: string, { note, once = false, maxTime }: DecisionFlags) =>
        withLedger(flags, async (context) => {
          const { ledger } = context;
          const removed = await findRemovedWatch(context, run);
          if (removed !== null && kind === 'approve') throw toNotBuyable(removed, run);
          const decision: Decision = { by: userInfo().username, ...(note === undefined ? {} : { note }) };
          const print = (line: string, exitCode: ExitCode) => report(output, exitCode, [line]);
          // With --once the run is followed to its end here, which shows what it planned.
          const planMs = once ? { planMs: 0 } : {};
          const decide = (client: Client) =>
            sendDecision(
              { output: { print }, client, ledger, requireTaker: createTakerCheck(client, ledger.id, once), ...planMs },
              kind,
              run as RunId,
              decision,
            );
          const limits = createTimeLimit(maxTime);
          if (!once) return decideAtWorker(context, run, decide);
          return removed === null
            ? decideHere(output, context, run, decide, limits)
            : endHere(output, context, run, decide, limits);
        }),
      ),
    );
}

/** The watch of a held run, when it is not in the configuration any more. */
async function findRemovedWatch({ config, ledger }: CommandContext, run: string): Promise<WatchId | null> {
  const watch = await findHeldWatch(ledger, run as RunId);
  return watch === null || config.watches.has(watch) ? null : watch;
}

const toNotBuyable = (watch: WatchId, run: string): CommandError =>
  new CommandError(
    EXIT.usage,
    `${run} belongs to the watch ${watch}, which is not in the configuration any more: what it found cannot be bought without ` +
      'its settings. Nothing was decided, submitted or charged. Put the watch back and approve again, or end the run: ' +
      `courier reject ${run}`,
  );

/** A run takes a decision on the build that it is pinned to, whichever is current. `isHere`: this process is the worker. */
const createTakerCheck =
  (client: Client, ledger: LedgerId, isHere: boolean) =>
  async (run: WorkflowExecutionDescription): Promise<void> => {
    const build = getPinnedBuild(run);
    if (build === null && isHere) return;
    const temporal = { client, namespace: client.options.namespace };
    const missing = await explainWorkflow(temporal, ledger, run.workflowId, build);
    if (missing !== null) throw toUnserved(missing, 'Nothing was decided, submitted or charged');
  };

type Decide = (client: Client) => Promise<SentDecision>;

function decideAtWorker({ config, file }: CommandContext, run: string, decide: Decide): Promise<Ending> {
  return withTemporal(config, file, async ({ client }) => {
    const { decision, exitCode } = await decide(client);
    return { exitCode, summary: { run, decision } };
  });
}

/** Decides and carries the run to its end, where no worker would: with cron alone. */
async function decideHere(
  output: Output,
  context: CommandContext,
  run: string,
  decide: Decide,
  limits: readonly AbortSignal[],
): Promise<Ending> {
  const [, , name = ''] = run.split('/');
  const watch = getWatch(context.config.watches, name);
  const { config, ledger } = context;
  // Found out before a server is started for nothing.
  if ((await findRun(ledger.db, run as RunId))?.ended_at !== null) throw toNotActive(run);
  const follow = async (client: Client): Promise<Ending> => {
    const { decision } = await decide(client);
    const runs = { watches: [watch], until: 'accepted', maxCost: null, timeoutMs: TIMEOUT_MS, here: true } as const;
    const exitCode = await followDecided({ output, client, config, ledger, runs }, watch, run);
    return { exitCode: decision === 'rejected' ? EXIT.done : exitCode, summary: { run, decision } };
  };
  return workHere(output, context, [watch], follow, limits);
}

/** Ends a run of a watch that is not configured any more: it is rejected, so nothing of it is shown or bought. */
function endHere(
  output: Output,
  context: CommandContext,
  run: string,
  decide: Decide,
  limits: readonly AbortSignal[],
): Promise<Ending> {
  const end = async (client: Client): Promise<Ending> => {
    const { decision } = await decide(client);
    await client.workflow.getHandle(run).result();
    return { exitCode: EXIT.done, summary: { run, decision } };
  };
  return workHere(output, context, [], end, limits);
}

/** As the default of `courier run --timeout`. */
const TIMEOUT_MS = 900_000;
