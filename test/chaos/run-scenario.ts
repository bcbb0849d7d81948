import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Watch } from '../../src/config/config.ts';
import { startCheck, startRun } from '../../src/connector/run-client.ts';
import { checkWorkflowId, watchWorkflowId } from '../../src/temporal-api/ids.ts';
import { seeded } from '../support/seeded.ts';
import { approveHeldRuns } from './account-admin.ts';
import { type Act, carryOut } from './actions.ts';
import { type Harness, openHarness } from './harness.ts';
import { judge, type Totals } from './judge.ts';
import { type KillableTemporal, retryThroughOutages } from './killable-temporal.ts';
import type { Scenario } from './scenario.ts';
import { countWorkLeft, describeOpenWorkflows, waitUntilIdle } from './wait-until-idle.ts';

export interface ScenarioReport {
  readonly seed: number;
  readonly ms: number;
  /** When each stage was reached, in milliseconds since the start. */
  readonly timings: ReadonlyMap<string, number>;
  readonly totals: Totals;
  /** What was done to it, in order. */
  readonly acts: readonly Act[];
  /** Runs that a guard held and that were approved. */
  readonly approved: number;
  /** How often each fault of the network and of the sites occurred, and each rejection: "drop-after", "sitemap cut", "POST 402". */
  readonly faults: ReadonlyMap<string, number>;
  readonly breaches: readonly string[];
}

/** Faults end after this many responses in total, or after this time, however fast the machine is. */
const FAULTY_ANSWERS = 50;
const FAULTS_MS = 30_000;
/** Time limit for everything to finish after the last fault. */
const IDLE_MS = 240_000;
const MAX_ROUNDS = 6;
/** Responses that the connector must not treat as transient faults. */
const REFUSALS = / (401|402|409|413|422)$/;

/** Plays one schedule and compares the charges afterwards. Throws only when the harness itself fails. */
export async function runScenario(plan: Scenario, temporal: KillableTemporal, folder: string): Promise<ScenarioReport> {
  const { seed } = plan;
  const began = performance.now();
  const timings = new Map<string, number>();
  const markTime = (name: string) => timings.set(name, Math.round(performance.now() - began));
  const harness = await openHarness(plan, temporal, join(folder, String(seed)));
  markTime('started');
  const approving = approveHeldRuns(harness);
  try {
    const acts: Act[] = [];
    const started = new Set<string>();
    await runUnderFaults(plan, harness, temporal, started, acts);
    markTime('under faults');
    const unfinished = await runUntilIdle(harness, started, markTime, async () => {
      if (plan.whileChecking === null) return;
      acts.push(await carryOut(plan.whileChecking, harness, temporal, started, seeded(seed ^ 0xc4ec)));
    });
    const approved = await approving.stop();
    const { totals, breaches } = await judge(harness);
    const faults = new Map([
      ...harness.proxy.done,
      ...named('sitemap ', harness.site.done),
      ...[...harness.proxy.answers].filter(([answer]) => REFUSALS.test(answer)),
    ]);
    const ms = Math.round(performance.now() - began);
    return { seed, ms, timings, totals, acts, approved, faults, breaches: [...unfinished, ...breaches] };
  } finally {
    await approving.stop();
    await harness.close();
  }
}

/** Runs of all watches, their pages change, runs again, and all the while the actions of the plan. */
async function runUnderFaults(
  plan: Scenario,
  harness: Harness,
  temporal: KillableTemporal,
  started: Set<string>,
  acts: Act[],
): Promise<void> {
  const random = seeded(plan.seed ^ 0xfa17);
  const half = Math.ceil(plan.actions.length / 2);
  await startRuns(harness, 'a', started);
  for (const planned of plan.actions.slice(0, half))
    acts.push(await carryOut(planned, harness, temporal, started, random));
  for (const [watch, { first, added, removed }] of plan.watches) {
    const gone = new Set(removed);
    harness.site.publish(watch, [...first.filter((url) => !gone.has(url)), ...added]);
  }
  await startRuns(harness, 'b', started);
  await startChecks(harness, 'b', started);
  for (const planned of plan.actions.slice(half))
    acts.push(await carryOut(planned, harness, temporal, started, random));
}

/**
 * The network continues as before for a while, and then is good, but for the first checks of what was completed; one thing
 * more is done to them. Then runs are started until nothing is left for another one. Returns what was under way when the
 * time was up.
 */
async function runUntilIdle(
  harness: Harness,
  started: Set<string>,
  markTime: (name: string) => void,
  whileChecking: () => Promise<void>,
): Promise<string[]> {
  const idle = new AbortController();
  const disabling = disableFaultsAfterEnough(harness, idle.signal);
  const deadline = Date.now() + FAULTS_MS + IDLE_MS;
  for (let round = 0; ; round++) {
    const open = await waitUntilIdle(harness, started, deadline);
    markTime(`idle ${round}`);
    idle.abort();
    await disabling;
    if (round > 0) harness.disableCheckFaults();
    if (open !== null)
      return [`after ${IDLE_MS / 1_000} s without faults: ${open}`, ...(await describeOpenWorkflows(harness.client))];
    if (round > 0 && (round === MAX_ROUNDS || (await countWorkLeft(harness)) === 0)) return [];
    await startRuns(harness, `end-${round}`, started);
    await startChecks(harness, `end-${round}`, started);
    if (round === 0) await whileChecking();
  }
}

async function disableFaultsAfterEnough({ proxy, disableFaults }: Harness, signal: AbortSignal): Promise<void> {
  const answers = () => [...proxy.answers.values()].reduce((sum, times) => sum + times, 0);
  const end = Date.now() + FAULTS_MS;
  while (!signal.aborted && Date.now() < end && answers() < FAULTY_ANSWERS) await sleep(100);
  disableFaults();
}

/** Starts a run of each watch. One that is under way still refuses the new one: that is how it should be. */
export async function startRuns(harness: Harness, name: string, started: Set<string>) {
  const start = (watch: Watch) => startRun(harness.client, harness.ledgerId, watch, 'terminal', name);
  for (const watch of harness.config.watches.values()) {
    await retryThroughOutages(() => start(watch)).catch(unlessStarted);
    started.add(watchWorkflowId(harness.ledgerId, watch.id, name));
  }
}

export async function startChecks(harness: Harness, name: string, started: Set<string>) {
  for (const watch of harness.config.watches.values()) {
    await retryThroughOutages(() => startCheck(harness.client, harness.ledgerId, watch, name)).catch(unlessStarted);
    started.add(checkWorkflowId(harness.ledgerId, watch.id, name));
  }
}

function unlessStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}

const named = (prefix: string, counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, times]) => [`${prefix}${name}`, times] as const);
