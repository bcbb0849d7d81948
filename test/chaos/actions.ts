import { setTimeout as sleep } from 'node:timers/promises';
import { wakeDispatcher } from './account-admin.ts';
import type { Harness } from './harness.ts';
import type { KillableTemporal } from './killable-temporal.ts';
import type { Operation } from './operations.ts';
import type { FaultProxy } from './proxy.ts';
import { resetSomething } from './resets.ts';
import type { Action, PlannedAction } from './scenario.ts';

/** What was done in a scenario, in a sentence. `hit`: whether it had an effect, such as a request with the key. */
export interface Act {
  readonly action: Action | Operation;
  readonly hit: boolean;
  readonly text: string;
}

/** How long a key stays rejected, or the funds short, when no request is affected. */
const ANSWER_MS = 6_000;

/** Carries out an action and waits until what was taken away is back. */
export async function carryOut(
  { action, afterMs, awayMs, signaled }: PlannedAction,
  harness: Harness,
  temporal: KillableTemporal,
  started: ReadonlySet<string>,
  random: () => number,
): Promise<Act> {
  const { worker, service, admin: operator, client, ledger, ledgerId, proxy, refuseKey } = harness;
  const toAct = (text: string, hit = true): Act => ({ action, hit, text });
  const thenSignaled = signaled ? ', and the dispatcher was signaled' : '';
  await sleep(afterMs);
  switch (action) {
    case 'kill worker':
      await worker.crash(awayMs);
      return toAct('killed the worker');
    case 'kill service':
      await service.crash(awayMs);
      return toAct('killed the service');
    case 'kill temporal':
      await temporal.crash(awayMs);
      return toAct('killed the Temporal server');
    case 'reset': {
      const hit = await resetSomething(client, ledger, ledgerId, [...started], random);
      return hit === null ? toAct('found nothing to reset', false) : toAct(`reset ${hit}`);
    }
    case 'refuse key': {
      const answered = waitForAnswer(proxy, 401);
      refuseKey(true);
      await sleep(awayMs);
      const hit = await answered;
      refuseKey(false);
      if (signaled) await wakeDispatcher(client, ledgerId);
      return toAct(`refused the key for a while${thenSignaled}`, hit);
    }
    case 'replace key': {
      const answered = waitForAnswer(proxy, 401);
      await operator.revokeKey();
      await sleep(awayMs);
      const hit = await answered;
      await operator.issueKey();
      if (signaled) await wakeDispatcher(client, ledgerId);
      return toAct(`revoked the key, and issued another a while later${thenSignaled}`, hit);
    }
    case 'top up': {
      const hit = countAnswers(proxy, 402) > 0 || (await waitForAnswer(proxy, 402));
      await operator.topUp();
      if (signaled) await wakeDispatcher(client, ledgerId);
      return toAct(`topped up the account${thenSignaled}`, hit);
    }
  }
}

const countAnswers = ({ answers }: FaultProxy, status: number): number =>
  [...answers].reduce((sum, [answer, times]) => (answer.endsWith(` ${status}`) ? sum + times : sum), 0);

/** Waits for one more answer of this status. Resolves with false when there is none for a while. */
async function waitForAnswer(proxy: FaultProxy, status: number): Promise<boolean> {
  const before = countAnswers(proxy, status);
  for (const end = Date.now() + ANSWER_MS; Date.now() < end; await sleep(50)) {
    if (countAnswers(proxy, status) > before) return true;
  }
  return false;
}
