import {
  type Client,
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { approveUpdate, type Decision, rejectUpdate } from '../../temporal-api/messages.ts';

const KINDS = {
  approve: {
    update: approveUpdate,
    decision: 'approved',
    meaning: 'What it found is planned and submitted.',
  },
  reject: {
    update: rejectUpdate,
    decision: 'rejected',
    meaning:
      'This run submits nothing. Its URLs stay due: the next run finds them again and is held again if a guard trips. ' +
      'To leave them out permanently, exclude them ("exclude" of the watch).',
  },
} as const;

export type DecisionKind = keyof typeof KINDS;

/** A worker that is alive answers within seconds. */
const DECISION_MS = 30_000;

/** Sends a decision to the run's workflow and says what it means; returns it as the ledger names it. */
export async function sendDecision(
  output: Pick<Output, 'print'>,
  client: Pick<Client, 'withDeadline' | 'workflow'>,
  kind: DecisionKind,
  run: string,
  decision: Decision,
): Promise<string> {
  const { update, decision: taken, meaning } = KINDS[kind];
  try {
    await client.withDeadline(Date.now() + DECISION_MS, () =>
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

const UNCHANGED = 'Nothing was decided, submitted or charged. "courier status" lists the runs that a guard holds.';

export const toNotActive = (run: string): CommandError =>
  new CommandError(EXIT.usage, `No run "${run}" is active. ${UNCHANGED}`);

function toNotDecided(error: unknown, run: string): unknown {
  if (error instanceof WorkflowNotFoundError) return toNotActive(run);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isDeadline(error)) {
    return new CommandError(
      EXIT.transient,
      `No worker took the decision on ${run} within ${DECISION_MS / 1_000} s, so it may not stand. Nothing was submitted or ` +
        'charged. Start "courier worker", or decide again with --once to work in this process.',
    );
  }
  if (error instanceof WorkflowUpdateFailedError)
    return new CommandError(EXIT.usage, `${error.cause?.message ?? error.message} ${UNCHANGED}`);
  return error;
}
