import { userInfo } from 'node:os';
import {
  type Client,
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { approveUpdate, type Decision, rejectUpdate } from '../../temporal-api/messages.ts';
import { action, type Ending } from '../output/command.ts';
import { requireWorker } from '../requirements.ts';
import { type CommandContext, getWatch, withLedger } from '../with-ledger.ts';
import { workHere } from '../work-here.ts';
import { followDecided } from './follow-runs.ts';

const KINDS = {
  approve: { update: approveUpdate, meaning: 'What it found is planned and submitted.' },
  reject: {
    update: rejectUpdate,
    meaning:
      'This run submits nothing. Its URLs stay due: the next run finds them again and is held again if a guard trips. ' +
      'To leave them out permanently, exclude them ("exclude" of the watch).',
  },
} as const;

export const approveCommand = (command: Command) => configureDecision(command, 'approve');
export const rejectCommand = (command: Command) => configureDecision(command, 'reject');

interface DecisionFlags {
  readonly note?: string;
  readonly once?: boolean;
}

function configureDecision(command: Command, kind: keyof typeof KINDS): void {
  command
    .argument('<run>', 'name of the run, as "courier status" shows it: watch/LEDGER/WATCH/…')
    .option('--note <text>', 'why; kept with your name in the ledger')
    .option('--once', 'work in this process until the run has ended; without it, a "courier worker" does the work')
    .action(
      action((output, flags, run: string, { note, once = false }: DecisionFlags) =>
        withLedger(flags, (context) => {
          const decision: Decision = { by: userInfo().username, ...(note === undefined ? {} : { note }) };
          const decide = (client: Client) => sendDecision(output, client, kind, run, decision);
          return once ? decideHere(output, context, run, decide) : decideAtWorker(context, run, decide);
        }),
      ),
    );
}

type Decide = (client: Client) => Promise<string>;

function decideAtWorker({ config, file, ledger }: CommandContext, run: string, decide: Decide): Promise<Ending> {
  return withTemporal(config, file, async (temporal) => {
    await requireWorker(temporal, ledger.id);
    const decision = await decide(temporal.client);
    return { exitCode: EXIT.done, summary: { run, decision } };
  });
}

/** Decides and carries the run to its end, where no worker would: with cron alone. */
function decideHere(output: Output, context: CommandContext, run: string, decide: Decide): Promise<Ending> {
  const [, , name = ''] = run.split('/');
  const watch = getWatch(context.config.watches, name);
  const { ledger } = context;
  return workHere(output, context, [watch], async (client) => {
    const decision = await decide(client);
    const runs = { watches: [watch], until: 'accepted', maxCost: null, timeoutMs: TIMEOUT_MS, here: true } as const;
    const exitCode = await followDecided({ output, client, ledger, runs }, watch, run);
    return { exitCode: decision === 'rejected' ? EXIT.done : exitCode, summary: { run, decision } };
  });
}

/** A worker that is alive answers within seconds. */
const DECISION_MS = 30_000;

/** As the default of `courier run --timeout`. */
const TIMEOUT_MS = 900_000;

async function sendDecision(
  output: Output,
  client: Client,
  kind: keyof typeof KINDS,
  run: string,
  decision: Decision,
): Promise<string> {
  const { update, meaning } = KINDS[kind];
  try {
    const taken = await client.withDeadline(Date.now() + DECISION_MS, () =>
      client.workflow.getHandle(run).executeUpdate(update, { args: [decision] }),
    );
    output.print(`${run} is ${taken}. ${meaning}`);
    return taken;
  } catch (error) {
    throw toNotDecided(error, run);
  }
}

const isDeadline = (error: unknown): boolean =>
  isGrpcDeadlineError(error) || (error instanceof Error && isGrpcDeadlineError(error.cause));

function toNotDecided(error: unknown, run: string): unknown {
  const unchanged = 'Nothing was decided, submitted or charged. "courier status" lists the runs that a guard holds.';
  if (error instanceof WorkflowNotFoundError)
    return new CommandError(EXIT.usage, `No run "${run}" is active. ${unchanged}`);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isDeadline(error)) {
    return new CommandError(
      EXIT.transient,
      `No worker took the decision on ${run} within ${DECISION_MS / 1_000} s, so it may not stand. Nothing was submitted or ` +
        'charged. Start "courier worker", or decide again with --once to work in this process.',
    );
  }
  if (error instanceof WorkflowUpdateFailedError)
    return new CommandError(EXIT.usage, `${error.cause?.message ?? error.message} ${unchanged}`);
  return error;
}
