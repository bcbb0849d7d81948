import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';

/** Throws a sentence (exit code 5) when nobody would carry out what is started. */
export async function needWorker({ client, namespace }: Connected, ledger: LedgerId): Promise<void> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: getTaskQueue(ledger) },
  });
  if ((pollers ?? []).length > 0) return;
  throw new CommandError(
    EXIT.transient,
    'No worker is there to do the work. Nothing was started or charged. Start "courier worker"; "courier run --once" ' +
      'needs none.',
  );
}
