import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Micros } from '../../../../contract/money.ts';
import { startCheck, startRun } from '../../../../src/connector/run-client.ts';
import type { AccountId } from '../../../../src/submission/ids.ts';
import { dispatcherWorkflowId, watchWorkflowId } from '../../../../src/temporal-api/ids.ts';
import { wakeSignal } from '../../../../src/temporal-api/messages.ts';
import { createClient } from '../../temporal/client.ts';
import type { World } from '../world.ts';
import type { Play } from './play.ts';

export const RUN_PLAYS = {
  run: (world) => startRuns(world),
  check: (world) => startChecks(world),
} satisfies Record<string, Play>;

/** Index-checks of all watches. */
export const startChecks = (world: World): Promise<void> =>
  startAll(world, (client, ledger, watch, _until, name) => startCheck(client, ledger, watch, name));

/** Of all watches, or of those of these sitemaps. */
export async function startRuns(
  world: World,
  {
    sitemaps = null,
    maxCost = null,
  }: { readonly sitemaps?: readonly string[] | null; readonly maxCost?: Micros | null } = {},
): Promise<void> {
  // The configuration may change before the last run is started: an operator's command has read it once.
  const { watches } = world.settings;
  await startAll(world, async (client, ledger, watch, until, name) => {
    if (sitemaps !== null && !sitemaps.includes(watches.get(watch.id)!)) return;
    if (maxCost !== null) world.oracle.limitRun(watchWorkflowId(ledger, watch.id, name), maxCost);
    await startRun(client, ledger, watch, until, name, { maxCost });
  });
}

async function startAll(
  world: World,
  start: (...args: Parameters<typeof startRun>) => Promise<unknown>,
): Promise<void> {
  world.runs += 1;
  const name = `run-${world.runs}`;
  const client = createClient(world.temporal, world.operator);
  for (const watch of world.readConfig().watches.values()) {
    try {
      await start(client, world.ledgerId, watch, world.scenario.runsUntil ?? 'terminal', name);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) && !isOutage(error)) throw error;
    }
  }
}

const isOutage = (error: unknown): boolean => (error as Error).name === 'ServiceError';

/** What an operator may do after a top-up or a new key, and may forget. */
export async function wake(world: World): Promise<void> {
  const client = createClient(world.temporal, world.operator);
  for (const account of world.accounts) {
    await client.workflow
      .getHandle(dispatcherWorkflowId(world.ledgerId, account as AccountId))
      .signal(wakeSignal)
      .catch(() => undefined);
  }
}
