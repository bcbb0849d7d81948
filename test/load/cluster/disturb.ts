import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { deployAndRollBack } from './deploy.ts';
import type { ClusterOptions } from './options.ts';
import type { Stack } from './stack.ts';

/** How long a server is down. */
const DOWN_MS = 3_000;
/** A worker with little memory works so long before it gets less. */
const EXHAUST_MS = 15_000;

/**
 * What is done to the cluster while it works: restarts of all workers again and again, a deployment in the middle, and
 * faults evenly over the time. Resolves when the last of it is over.
 */
export async function disturb(
  stack: Stack,
  { rollingMs, deploy, faults, forMs, limitMs, workers }: ClusterOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const end = Date.now() + forMs;
  // Two acts at a time would stop the same worker twice.
  let turn = Promise.resolve();
  const act = (name: string, work: () => Promise<string | undefined>): Promise<void> => {
    turn = turn.then(async () => {
      if (signal.aborted) return;
      const from = performance.now();
      const result = await work();
      say(`${name}${result === undefined ? '' : `: ${result}`} (${((performance.now() - from) / 1_000).toFixed(1)} s)`);
    });
    return turn;
  };

  async function restartAgainAndAgain(everyMs: number): Promise<void> {
    while (Date.now() < end && !signal.aborted) {
      const from = Date.now();
      await act('all workers restarted', async () => void (await stack.fleet.restartAll()));
      await pause(from + everyMs - Date.now());
    }
  }

  async function fault(): Promise<void> {
    const { fleet, temporal, postgres, standby } = stack;
    const acts: [string, () => Promise<string | undefined>][] = [
      ['a worker killed', () => fleet.kill(0)],
      ['Temporal killed and restarted', async () => void (await temporal.crash(DOWN_MS))],
      ['a worker runs out of memory', () => fleet.exhaust(1 % workers, EXHAUST_MS)],
    ];
    if (postgres !== null) {
      acts.splice(1, 0, ['Postgres stopped at once and restarted', async () => void (await postgres.crash(DOWN_MS))]);
    }
    if (postgres !== null && standby !== null)
      acts.push(['Postgres failed over to its standby', () => failOver(postgres, standby)]);
    const everyMs = forMs / (acts.length + 1);
    for (const [name, work] of acts) {
      await pause(everyMs);
      // Servers fail beside whatever else is done.
      if (name.includes('worker')) await act(name, work);
      else await sayWhenDone(name, work, say);
    }
  }

  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
  await Promise.all([
    rollingMs === null ? undefined : restartAgainAndAgain(rollingMs),
    faults ? fault() : undefined,
    deploy ? deployAndRollBack(stack, { forMs, limitMs, workers, pause, act, say }) : undefined,
  ]);
}

async function sayWhenDone(name: string, work: () => Promise<string | undefined>, say: (line: string) => void) {
  const from = performance.now();
  await work();
  say(`${name} (${((performance.now() - from) / 1_000).toFixed(1)} s)`);
}

async function failOver(postgres: PostgresServer, standby: PostgresServer): Promise<undefined> {
  await postgres.crash(null);
  await sleep(DOWN_MS);
  await standby.promote();
}
