import { TASK_QUEUE } from '../../workflows/ids.ts';
import type { Config } from '../config/config.ts';
import { type Connected, connectClient, namesServer, type TemporalSettings } from '../temporal/connect.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** Where a local server of `courier worker` listens. */
const LOCAL = '127.0.0.1:7233';

/** The server that the configuration or the environment names, else the local one of a worker on this machine. */
export function serverOf({ temporal }: Config): TemporalSettings {
  return namesServer(temporal) ? temporal : { ...temporal, address: LOCAL };
}

/** Connects for as long as `work` takes. A server that does not answer is a sentence and exit code 5. */
export async function withTemporal<T>(config: Config, work: (temporal: Connected) => Promise<T>): Promise<T> {
  const connected = await connectClient(serverOf(config), { timeoutMs: 3_000 });
  try {
    return await work(connected);
  } finally {
    await connected.connection.close();
  }
}

/** Throws a sentence (exit code 5) when nobody would carry out what is started. */
export async function needWorker({ client, namespace }: Connected): Promise<void> {
  const { pollers } = await client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: TASK_QUEUE } });
  if ((pollers ?? []).length > 0) return;
  throw new CommandError(
    EXIT.transient,
    'No worker is there to do the work. Nothing was started or charged. Start "courier worker"; "courier run --once" ' +
      'needs none.',
  );
}
