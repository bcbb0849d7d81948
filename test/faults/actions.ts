import { setTimeout as sleep } from 'node:timers/promises';
import { wakeDispatcher } from './operator.ts';
import type { Action, PlannedAction } from './plan.ts';
import { resetSomething } from './resets.ts';
import type { FaultyTemporal } from './temporal.ts';
import type { World } from './world.ts';

/** Something that was done to a schedule, in a sentence. `hit`: a reset that found nothing to set back did not. */
export interface Deed {
  readonly action: Action;
  readonly hit: boolean;
  readonly text: string;
}

/** Carries out an action and waits until what was taken away is back. */
export async function act(
  { action, afterMs, awayMs, told }: PlannedAction,
  world: World,
  temporal: FaultyTemporal,
  started: ReadonlySet<string>,
  random: () => number,
): Promise<Deed> {
  const { worker, service, operator, client, ledger, refuseKey } = world;
  const deed = (text: string, hit = true): Deed => ({ action, hit, text });
  const thenTold = told ? ', and the dispatcher was told' : '';
  await sleep(afterMs);
  switch (action) {
    case 'kill worker':
      await worker.crash(awayMs);
      return deed('killed the worker');
    case 'kill service':
      await service.crash(awayMs);
      return deed('killed the service');
    case 'kill temporal':
      await temporal.crash(awayMs);
      return deed('killed the Temporal server');
    case 'reset': {
      const hit = await resetSomething(client, ledger, [...started], random);
      return hit === null ? deed('found nothing to reset', false) : deed(`reset ${hit}`);
    }
    case 'refuse key':
      refuseKey(true);
      await sleep(awayMs);
      refuseKey(false);
      if (told) await wakeDispatcher(client);
      return deed(`refused the key for ${awayMs} ms${thenTold}`);
    case 'replace key':
      await operator.revokeKey();
      await sleep(awayMs);
      await operator.issueKey();
      if (told) await wakeDispatcher(client);
      return deed(`revoked the key, and issued another after ${awayMs} ms${thenTold}`);
    case 'top up':
      await operator.topUp();
      if (told) await wakeDispatcher(client);
      return deed(`topped up the account${thenTold}`);
  }
}
