import { join } from 'node:path';
import { pick, seeded } from '../support/seeded.ts';
import { approveHeldRuns } from './account-admin.ts';
import { openHarness } from './harness.ts';
import { judge } from './judge.ts';
import type { KillableTemporal } from './killable-temporal.ts';
import { carryOutOperation, OPERATIONS, type Operation } from './operations.ts';
import { resolveReviews } from './resolve-reviews.ts';
import { type ScenarioReport, startChecks, startRuns } from './run-scenario.ts';
import { type Scenario, toScenario } from './scenario.ts';
import { countWorkLeft, describeOpenWorkflows, waitUntilIdle } from './wait-until-idle.ts';

/** Longer than the five minutes after which a workflow asks again for a watch that the configuration lacks. */
const IDLE_MS = 420_000;
const MAX_ROUNDS = 6;

export interface OperationScenario {
  readonly scenario: Scenario;
  readonly operations: readonly Operation[];
}

/** The operations of a seed, in a small scenario of the same seed. `only`: to choose from. */
export function toOperationScenario(seed: number, only: readonly Operation[] = OPERATIONS): OperationScenario {
  const random = seeded(seed ^ 0x09e7);
  const scenario = toScenario(seed);
  return {
    // Balance, refusals and kills have scenarios of their own; here an operator acts while the network is bad.
    scenario: { ...scenario, funds: null, actions: [], whileChecking: null, faultShare: scenario.faultShare / 2 },
    operations: Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, only)),
  };
}

/** Runs, and operations one after another while the network fails; then the judge compares as after every scenario. */
export async function runOperations(
  { scenario, operations }: OperationScenario,
  temporal: KillableTemporal,
  folder: string,
  namespace?: string,
): Promise<ScenarioReport> {
  const { seed } = scenario;
  const began = performance.now();
  const timings = new Map<string, number>();
  const markTime = (name: string) => timings.set(name, Math.round(performance.now() - began));
  const harness = await openHarness(scenario, temporal, join(folder, String(seed)), namespace);
  const approving = approveHeldRuns(harness);
  const started = new Set<string>();
  const breaches: string[] = [];
  const acts: ScenarioReport['acts'][number][] = [];
  let runs = 0;
  const stage = {
    harness,
    random: seeded(seed ^ 0xac75),
    startRuns: () => startRuns(harness, `run-${++runs}`, started),
    waitUntilIdle: async (ms: number) => void (await waitUntilIdle(harness, started, Date.now() + ms)),
  };
  try {
    await stage.startRuns();
    for (const operation of operations) {
      await stage.waitUntilIdle(stage.random() * 8_000);
      const done = await carryOutOperation(operation, stage);
      breaches.push(...done.breaches);
      acts.push({ action: operation, hit: true, text: done.text });
      // Workflows of a namespace that is gone, or of rows that are not in the restored ledger, do not end.
      if (operation.startsWith('restore')) started.clear();
      markTime(operation);
    }
    for (const [watch, { first, added, removed }] of scenario.watches) {
      const gone = new Set(removed);
      const now = harness.site.pages().get(watch) ?? first;
      harness.site.publish(watch, [...now.filter((url) => !gone.has(url)), ...added]);
    }
    harness.disableFaults();
    harness.disableCheckFaults();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await stage.startRuns();
      await startChecks(harness, `check-${round}`, started);
      const open = await waitUntilIdle(harness, started, Date.now() + IDLE_MS);
      markTime(`idle ${round}`);
      if (open !== null) {
        breaches.push(
          `after ${IDLE_MS / 1_000} s without faults: ${open}`,
          ...(await describeOpenWorkflows(harness.client)),
        );
        break;
      }
      const reviews = await resolveReviews(harness);
      breaches.push(...reviews.breaches);
      if (reviews.resolved === 0 && (await countWorkLeft(harness)) === 0) break;
    }
    const approved = await approving.stop();
    const judged = await judge(harness, {
      priceChanged: operations.includes('change price'),
      operated: true,
      restored: operations.some((operation) => operation.startsWith('restore')),
    });
    const ms = Math.round(performance.now() - began);
    const faults = harness.proxy.done;
    return {
      seed,
      ms,
      timings,
      totals: judged.totals,
      acts,
      approved,
      faults,
      breaches: [...breaches, ...judged.breaches],
    };
  } finally {
    await approving.stop();
    await harness.close();
  }
}

/** So many seeds lie between those of two folders that share a namespace. */
const NEXT_FOLDER = 100_000;

/**
 * The same, by two configurations with the same names in one Temporal namespace, each with a ledger, a key and a service of
 * its own. Each is judged by its own service: work of one that the other did shows as a charge that its ledger lacks.
 */
export async function runInTwoFolders(
  seed: number,
  only: readonly Operation[],
  temporal: KillableTemporal,
  folder: string,
): Promise<ScenarioReport> {
  const namespace = `chaos-shared-${seed}-${Date.now().toString(36)}`;
  const seeds = [seed, seed + NEXT_FOLDER];
  const [one, two] = await Promise.all(
    seeds.map((each) =>
      runOperations(toOperationScenario(each, only), temporal, join(folder, String(seed)), namespace),
    ),
  );
  return {
    ...one!,
    totals: {
      urls: one!.totals.urls + two!.totals.urls,
      bought: one!.totals.bought + two!.totals.bought,
      jobs: one!.totals.jobs + two!.totals.jobs,
      checks: one!.totals.checks + two!.totals.checks,
      ends: new Map([...prefix('first: ', one!.totals.ends), ...prefix('second: ', two!.totals.ends)]),
    },
    acts: [...one!.acts, ...two!.acts],
    approved: one!.approved + two!.approved,
    breaches: [
      ...one!.breaches.map((breach) => `first folder: ${breach}`),
      ...two!.breaches.map((breach) => `second folder: ${breach}`),
    ],
  };
}

const prefix = (text: string, counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, times]) => [`${text}${name}`, times] as const);
