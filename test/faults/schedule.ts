import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { startCheck, startRun } from '../../src/cli/run-job.ts';
import type { Watch } from '../../src/config/config.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { checkWorkflowId, dispatcherWorkflowId, watchWorkflowId } from '../../workflows/ids.ts';
import { type PlannedAction, planOf } from './plan.ts';
import { resetSomething } from './resets.ts';
import { seeded } from './seeded.ts';
import { type FaultyTemporal, throughOutages } from './temporal.ts';
import { judge, type Tally } from './verdict.ts';
import { openWorld, type World } from './world.ts';

export interface ScheduleReport {
  readonly seed: number;
  readonly ms: number;
  readonly tally: Tally;
  /** What was done to it, in order. */
  readonly done: readonly string[];
  readonly faults: number;
  readonly breaches: readonly string[];
}

/** The network is bad for so many answers in all, however fast the machine; but not for longer than so long. */
const NOISY_ANSWERS = 50;
const NOISE_MS = 30_000;
/** How long after the last fault everything may take to come to its end. */
const CALM_MS = 240_000;

/** Plays one schedule and compares the books afterwards. Throws only when the harness itself cannot go on. */
export async function playSchedule(seed: number, temporal: FaultyTemporal, folder: string): Promise<ScheduleReport> {
  const began = performance.now();
  const plan = planOf(seed);
  const world = await openWorld(plan, temporal, join(folder, String(seed)));
  const done: string[] = [];
  const started = new Set<string>();
  const watches = [...world.config.watches.values()];
  try {
    const random = seeded(seed ^ 0xfa17);
    const half = Math.ceil(plan.actions.length / 2);
    await startAll(world, watches, 'a', started);
    for (const planned of plan.actions.slice(0, half)) done.push(await act(planned, world, temporal, started, random));
    for (const [watch, { later }] of plan.watches) world.site.publish(watch, later);
    await startAll(world, watches, 'b', started);
    await startChecks(world, watches, 'b', started);
    for (const planned of plan.actions.slice(half)) done.push(await act(planned, world, temporal, started, random));

    // No program dies from here on; the network goes on as before for a while, and then is good.
    const noise = untilEnough(world);
    const deadline = Date.now() + NOISE_MS + CALM_MS;
    const stuck: string[] = [];
    for (let round = 0; round < 6; round++) {
      const open = await untilQuiet(world, started, deadline);
      if (open !== null) {
        stuck.push(`after ${CALM_MS / 1_000} s of calm: ${open}`, ...(await stillOpen(world.client)));
        break;
      }
      if (round > 0 && (await urlsDue(world)) === 0) break;
      await startAll(world, watches, `end-${round}`, started);
      if (round === 0) await startChecks(world, watches, `end-${round}`, started);
    }
    world.calm();
    await noise;
    const { tally, breaches } = await judge(world.ledger, world.books, world.proxy, world.site.pages());
    const faults = [...world.proxy.done.values()].reduce((sum, times) => sum + times, 0);
    const ms = Math.round(performance.now() - began);
    return { seed, ms, tally, done, faults, breaches: [...stuck, ...breaches] };
  } finally {
    await world.close();
  }
}

async function untilEnough({ proxy, calm }: World): Promise<void> {
  const answers = () => [...proxy.answers.values()].reduce((sum, times) => sum + times, 0);
  for (const end = Date.now() + NOISE_MS; Date.now() < end && answers() < NOISY_ANSWERS; ) await sleep(100);
  calm();
}

async function act(
  { action, afterMs, awayMs }: PlannedAction,
  { worker, service, client, ledger }: World,
  temporal: FaultyTemporal,
  started: ReadonlySet<string>,
  random: () => number,
): Promise<string> {
  await sleep(afterMs);
  switch (action) {
    case 'kill worker':
      await worker.crash(awayMs);
      return 'killed the worker';
    case 'kill service':
      await service.crash(awayMs);
      return 'killed the service';
    case 'kill temporal':
      await temporal.crash(awayMs);
      return 'killed the Temporal server';
    case 'reset':
      return `reset ${await resetSomething(client, ledger, [...started], random)}`;
  }
}

/** Starts a run of each watch. One that is under way still refuses the new one: that is how it should be. */
async function startAll({ client }: World, watches: readonly Watch[], name: string, started: Set<string>) {
  for (const watch of watches) {
    await throughOutages(() => startRun(client, watch, 'terminal', name)).catch(unlessStarted);
    started.add(watchWorkflowId(watch.id, name));
  }
}

async function startChecks({ client }: World, watches: readonly Watch[], name: string, started: Set<string>) {
  for (const watch of watches) {
    await throughOutages(() => startCheck(client, watch, name)).catch(unlessStarted);
    started.add(checkWorkflowId(watch.id, name));
  }
}

function unlessStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}

/** Waits until nothing is under way any more. Returns what still is when the time is up, else null. */
async function untilQuiet(world: World, started: ReadonlySet<string>, deadline: number): Promise<string | null> {
  for (;;) {
    const open = await underWay(world, started);
    if (open === null) return null;
    if (Date.now() > deadline) return open;
    await sleep(250);
  }
}

async function underWay({ client, ledger }: World, started: ReadonlySet<string>): Promise<string | null> {
  const row = await ledger.get(sql<{ waiting: number; open: number }>`
    SELECT coalesce(sum(CASE WHEN state IN ('planned', 'sending') THEN 1 ELSE 0 END), 0) AS waiting,
      coalesce(sum(CASE WHEN state = 'accepted' AND settled_at IS NULL THEN 1 ELSE 0 END), 0) AS open FROM batches`);
  if (row!.waiting > 0) return `${row!.waiting} batches have no answer`;
  if (row!.open > 0) return `${row!.open} jobs have no end`;
  for (const id of [...started, dispatcherWorkflowId('main' as AccountId)]) {
    if (await throughOutages(() => isRunning(client, id))) return `${id} is running`;
  }
  return null;
}

/** What the Web UI would show of the workflows that have not ended: where each waits, and for what. */
async function stillOpen(client: World['client']): Promise<string[]> {
  const lines: string[] = [];
  for await (const { workflowId, type } of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    const { raw, historyLength } = await client.workflow.getHandle(workflowId).describe();
    const pending = (raw.pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure, state, scheduledTime }) =>
        `${activityType?.name} (state ${state}, attempt ${attempt}, due ${Number(scheduledTime?.seconds)}): ${lastFailure?.message ?? ''}`,
    );
    const task = raw.pendingWorkflowTask;
    lines.push(
      `${type} ${workflowId}, ${historyLength} events: ${pending.join('; ') || 'no activity'}` +
        (task ? `; workflow task in state ${task.state}, attempt ${task.attempt}` : ''),
    );
  }
  return lines;
}

async function isRunning(client: World['client'], workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function urlsDue({ ledger }: World): Promise<number> {
  const row = await ledger.get(sql<{ n: number }>`SELECT count(*) AS n FROM urls WHERE due IS NOT NULL`);
  return row!.n;
}
