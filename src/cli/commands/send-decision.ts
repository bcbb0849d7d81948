import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { formatTry } from '../../../contract/money.ts';
import { type CommandError, EXIT, type ExitCode, UsageError } from '../../cli-kit/exit-codes.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type Plan, readPlan } from '../../ledger/plans/read-plan.ts';
import { decideRun, type RunDecision } from '../../ledger/runs/decide-run.ts';
import { getRun } from '../../ledger/runs/runs.ts';
import type { RunId } from '../../submission/ids.ts';
import { type Decision, describeDecision, wakeSignal } from '../../temporal-api/messages.ts';
import { formatCounted } from '../output/format.ts';

export type DecisionKind = 'approve' | 'reject';

const TAKEN: Readonly<Record<DecisionKind, RunDecision>> = { approve: 'approved', reject: 'rejected' };

const REJECTED =
  'This run submits nothing. Its URLs stay due: the next run finds them again and is held again if a guard trips. ' +
  'To leave them out permanently, exclude them ("exclude" of the watch).';
const NOT_PLANNED_YET = 'What was shown is planned and submitted, within the caps, when a worker has taken it up.';

/** A worker that is alive reads the balance and plans within this time, except for very many URLs. */
const PLAN_MS = 20_000;

interface Deciding {
  /** Shows a line, and how the command ends with it. */
  readonly output: { print(line: string, exitCode: ExitCode): void };
  readonly client: Pick<Client, 'workflow'>;
  readonly ledger: Ledger;
  /** Throws when no worker would take the decision. */
  readonly requireTaker?: (run: WorkflowExecutionDescription) => Promise<void>;
  /** How long to wait for what an approval plans, in milliseconds. 0: somebody else shows it. */
  readonly planMs?: number;
}

/** The decision that stands, and how a command ends that waited for what it plans. */
export interface SentDecision {
  readonly decision: RunDecision;
  /** 7 when nothing of an approval was planned, for want of money. */
  readonly exitCode: ExitCode;
}

/**
 * Records a decision in the ledger, where it stands, wakes the run's workflow, and says what became of it. The same decision
 * again wakes it again. Throws a CommandError (exit code 2) when the run is not active, waits for no decision, or has the other.
 */
export async function sendDecision(
  { output, client, ledger, requireTaker = async () => undefined, planMs = PLAN_MS }: Deciding,
  kind: DecisionKind,
  run: RunId,
  decision: Decision,
): Promise<SentDecision> {
  const handle = client.workflow.getHandle(run);
  try {
    const described = await handle.describe();
    if (described.status.name !== 'RUNNING') throw toNotActive(run);
    await requireTaker(described);
    const taken = await decideRun(ledger, run, TAKEN[kind], describeDecision(decision));
    if (taken !== TAKEN[kind]) throw new UsageError(`${run} was already ${taken}. Nothing was changed.`);
    await handle.signal(wakeSignal);
    const became =
      kind === 'reject' ? { text: REJECTED, exitCode: EXIT.done } : await describePlan(ledger, run, planMs);
    output.print(`${run} is ${taken}. ${became.text}`, became.exitCode);
    return { decision: taken, exitCode: became.exitCode };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw toNotActive(run);
    if (error instanceof LedgerError && (error.code === 'NOTHING_TO_DECIDE' || error.code === 'UNKNOWN_RUN'))
      throw new UsageError(`${error.message} ${UNCHANGED}`);
    throw error;
  }
}

/** What an approval planned: of what was shown, perhaps not all of it. */
async function describePlan(ledger: Ledger, run: RunId, waitMs: number): Promise<Became> {
  for (let left = waitMs; ; left -= 200) {
    const row = await getRun(ledger.db, run);
    if (row.planned_at !== null) return formatPlanned(await readPlan(ledger.db, row));
    if (left <= 0) return { text: NOT_PLANNED_YET, exitCode: EXIT.done };
    await sleep(200);
  }
}

interface Became {
  readonly text: string;
  readonly exitCode: ExitCode;
}

function formatPlanned({ urls, cost, held, heldReason }: Plan): Became {
  const price = cost === null ? 'at a price that is not known yet' : `for ${formatTry(cost)}`;
  const planned = `${formatCounted(urls, 'URL')} ${urls === 1 ? 'is' : 'are'} planned ${price}`;
  const rest = `${formatCounted(held, 'URL')} ${held === 1 ? 'stays' : 'stay'} due: ${heldReason}`;
  if (urls > 0) return { text: held === 0 ? `${planned}.` : `${planned}; ${rest}.`, exitCode: EXIT.done };
  if (held === 0) return { text: 'Nothing of it is planned: nothing of it is due any more.', exitCode: EXIT.done };
  return {
    text: `Nothing of it is planned: ${rest}. A later run plans them when that allows it.`,
    exitCode: EXIT.balanceOrCap,
  };
}

const UNCHANGED = 'Nothing was decided, submitted or charged. "courier status" lists the runs that a guard holds.';

export const toNotActive = (run: string): CommandError => new UsageError(`No run "${run}" is active. ${UNCHANGED}`);
