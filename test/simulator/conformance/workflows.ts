import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { activities } from './activities.ts';

/*
 * Small workflows, each of which shows one behaviour that the stand-in claims. The cases run them on the stand-in and on a
 * real server.
 */

const retry = { initialInterval: '1 second', backoffCoefficient: 1, maximumAttempts: 3 } as const;
const quick = proxyActivities<typeof activities>({ startToCloseTimeout: '10 seconds', retry });
const endless = proxyActivities<typeof activities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 minute' },
});
const guarded = proxyActivities<typeof activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '1 second',
  retry,
});
/** The second attempt would begin after the time of all of them. */
const once = proxyActivities<typeof activities>({
  ...{ startToCloseTimeout: '10 seconds', scheduleToCloseTimeout: '30 seconds' },
  retry: { initialInterval: '1 minute' },
});
const limited = proxyActivities<typeof activities>({
  ...{ startToCloseTimeout: '10 seconds', scheduleToCloseTimeout: '2 seconds', retry },
});
const nobodys = proxyActivities<typeof activities>({
  ...{ taskQueue: 'conformance-nobody', scheduleToCloseTimeout: '1 second' },
});
const short = proxyActivities<typeof activities>({ startToCloseTimeout: '1 second', retry });

export const addSignal = defineSignal<[string]>('add');
export const endSignal = defineSignal('end');
export const joinUpdate = defineUpdate<string, [string]>('join');

/** What a workflow sees of a failure. */
function describe(error: unknown): string {
  const { name, message, cause } = error as Error;
  const type = error instanceof ApplicationFailure ? ` (${error.type})` : '';
  return cause === undefined ? `${name}: ${message}${type}` : `${name} < ${describe(cause)}`;
}

const attempt = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    return String(await work());
  } catch (error) {
    return describe(error);
  }
};

/** Its result, and whether it came in time: a minute late is another behaviour. */
async function soon(work: () => Promise<unknown>): Promise<[string, boolean]> {
  const began = Date.now();
  return [await attempt(work), Date.now() - began < 20_000];
}

/** Succeeds at its third attempt, fails at its last, fails at once. */
export const retries = async (): Promise<string[]> => [
  await attempt(() => quick.failUntil(3)),
  await attempt(() => quick.failUntil(9)),
  await attempt(() => quick.failForever()),
];

/** The failure says when the next attempt is made: long before the policy would. */
export const namedDelay = (): Promise<[string, boolean]> => soon(() => endless.askForDelay());

export const heartbeatTimeout = (): Promise<[string, boolean]> => soon(() => guarded.stopBeating());
/** One whose next attempt would come too late, one that takes too long, and one that no worker takes. */
export const scheduleToCloseTimeout = async (): Promise<[string, boolean][]> => [
  await soon(() => once.failUntil(99)),
  await soon(() => limited.takeLong()),
  await soon(() => nobodys.pass()),
];
export const startToCloseTimeout = (): Promise<[string, boolean]> => soon(() => short.takeLong());

/** Signals before and after the handler exists, in their order, and a timer that they beat. */
export async function signals(): Promise<string[]> {
  const seen: string[] = [];
  let isEnded = false;
  await sleep(1_500);
  setHandler(addSignal, (text) => void seen.push(text));
  setHandler(endSignal, () => {
    isEnded = true;
  });
  const inTime = await condition(() => isEnded, 60_000);
  return [...seen, String(inTime)];
}

export const timers = async (): Promise<unknown[]> => [
  await condition(() => false, 200),
  await condition(() => true, 60_000),
  await Promise.race([sleep(100).then(() => 'short'), sleep(60_000).then(() => 'long')]),
];

/** A handler that waits, a validator that refuses, a handler that fails. */
export async function updates(): Promise<string[]> {
  const joined: string[] = [];
  let isEnded = false;
  setHandler(
    joinUpdate,
    async (name: string) => {
      await sleep(100);
      if (name === 'late') throw ApplicationFailure.nonRetryable('too late', 'Late');
      joined.push(name);
      return `welcome ${name}`;
    },
    {
      validator: (name: string) => {
        if (name === '') throw ApplicationFailure.nonRetryable('no name', 'Nameless');
      },
    },
  );
  setHandler(endSignal, () => {
    isEnded = true;
  });
  await condition(() => isEnded && allHandlersFinished());
  return joined;
}

/** Continues twice; signals of all runs reach one of them. */
export async function continues(round: number, seen: readonly string[]): Promise<string[]> {
  const mine: string[] = [...seen];
  setHandler(addSignal, (text) => void mine.push(text));
  if (round < 2) {
    await sleep(300);
    return continueAsNew<typeof continues>(round + 1, mine);
  }
  await condition(() => mine.length >= 3, 60_000);
  return mine;
}

/** A scope that is cancelled ends its timer and its activity, which waits for its next attempt; the workflow goes on. */
export async function cancellation(): Promise<string[]> {
  const seen: string[] = [];
  for (const work of [() => sleep(60_000), () => endless.failUntil(9)]) {
    try {
      await CancellationScope.cancellable(async () => {
        const scope = CancellationScope.current();
        const working = work();
        working.catch(() => undefined);
        await Promise.race([
          working,
          CancellationScope.current().consideredCancelled ? sleep(1) : pauseOutside().then(() => scope.cancel()),
        ]);
        await working;
      });
      seen.push('not cancelled');
    } catch (error) {
      seen.push(`${isCancellation(error)} ${(error as Error).name}`);
    }
  }
  return seen;
}

const pauseOutside = (): Promise<unknown> => quick.pass();

export async function failing(): Promise<never> {
  await sleep(10);
  throw ApplicationFailure.nonRetryable('it cannot be done', 'Impossible');
}

export async function waits(): Promise<string> {
  let isEnded = false;
  setHandler(endSignal, () => {
    isEnded = true;
  });
  await condition(() => isEnded);
  return workflowInfo().workflowId.split('/')[0]!;
}

export async function brief(): Promise<void> {}

/** Longer than the time between two times of its schedule. */
export const lasting = (): Promise<void> => sleep(2_500);
