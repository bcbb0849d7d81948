import type { Client } from '@temporalio/client';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import type { RunsShown } from '../output/ended-runs.ts';
import { requireWorker } from '../requirements.ts';
import type { CommandContext } from '../with-ledger.ts';
import { untilAborted, workLocked } from '../work-here.ts';
import { followRuns, type RunsToFollow } from './follow-runs.ts';

/** Runs watches with a worker and, where none is configured, a Temporal server of this command's own. */
export function runAtTemporal(
  output: Output,
  context: CommandContext,
  runs: RunsToFollow,
  ends: readonly AbortSignal[],
): Promise<RunsShown> {
  const { config, ledger } = context;
  const follow = (client: Client, ended: AbortSignal) => followRuns({ output, client, config, ledger, runs, ended });
  return workLocked(output, context, runs.watches, follow, ends);
}

/** Starts the runs at a worker that is running, and follows them. */
export function runAtWorker(
  output: Output,
  { config, file, ledger }: CommandContext,
  runs: RunsToFollow,
  limits: readonly AbortSignal[],
): Promise<RunsShown> {
  const stop = stopSignal('The runs continue at the worker; "courier status" shows them.');
  return withTemporal(config, file, async (temporal) => {
    await requireWorker(temporal, ledger.id);
    const { client } = temporal;
    return untilAborted(client, [stop, ...limits], (ended) =>
      followRuns({ output, client, config, ledger, runs, ended }),
    );
  });
}
