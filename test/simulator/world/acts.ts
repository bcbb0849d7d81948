import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { micros } from '../../../contract/money.ts';
import { administer } from '../../../service/accounts/administration.ts';
import { startCheck, startRun } from '../../../src/connector/run-client.ts';
import type { AccountId } from '../../../src/submission/ids.ts';
import { dispatcherWorkflowId } from '../../../src/temporal-api/ids.ts';
import { wakeSignal } from '../../../src/temporal-api/messages.ts';
import { pick, seeded } from '../../support/seeded.ts';
import { createClient } from '../temporal/client.ts';
import { onTerminal } from './programs.ts';
import { type Act, type ActKind, AMPLE, makePages } from './scenario.ts';
import { ACCOUNT } from './stores.ts';
import type { World } from './world.ts';

type Play = (world: World, act: Act, random: () => number) => Promise<void>;

/** Begins an act; it may go on for a while. */
export function beginAct(world: World, act: Act): void {
  world.kernel.trace(`ACT ${act.kind}`);
  void onTerminal(() => PLAYS[act.kind](world, act, seeded(act.salt)));
}

const PLAYS: Readonly<Record<ActKind, Play>> = {
  run: (world) => startRuns(world),
  check: (world) => startChecks(world),
  async 'crash worker'(world, { forMs }, random) {
    const worker = pick(random, world.workers);
    if (worker.host === null) return;
    worker.crash();
    await world.kernel.sleep(forMs);
    worker.start();
  },
  async 'crash service'({ kernel, service }, { forMs }) {
    if (service.host === null) return;
    service.crash();
    await kernel.sleep(forMs);
    service.start();
  },
  async 'stop temporal'({ kernel, temporal }, { forMs }) {
    temporal.stop();
    await kernel.sleep(forMs);
    temporal.restart();
  },
  /** Its attempts time out at the server and go on elsewhere while they still run here. */
  async 'cut off worker'(world, { forMs }, random) {
    const { worker } = pick(random, world.workers);
    if (worker === null) return;
    worker.polls = false;
    await world.kernel.sleep(forMs);
    worker.polls = true;
    world.temporal.restart();
  },
  async reset({ temporal, kernel }, _act, random) {
    const runs = [...temporal.executions.values()].map((each) => each.at(-1)!).filter(({ tasks }) => tasks.length > 0);
    if (runs.length === 0) return;
    const running = runs.filter(({ status }) => status === 'RUNNING');
    const run = pick(random, running.length > 0 && random() < 0.8 ? running : runs);
    const task = Math.floor(random() * run.tasks.length);
    kernel.trace(`reset ${run.workflowId} to task ${task} of ${run.tasks.length}`);
    temporal.reset(run, task);
  },
  async 'refuse key'(world, { forMs }, random) {
    world.refusesKey = true;
    await world.kernel.sleep(forMs);
    world.refusesKey = false;
    if (random() < 0.5) await wake(world);
  },
  async 'replace key'(world, { forMs }, random) {
    await world.replaceKey(() => world.kernel.sleep(forMs));
    if (random() < 0.5) await wake(world);
  },
  async 'top up'(world, _act, random) {
    await administer(world.stores.service).topUp(ACCOUNT, micros(AMPLE));
    if (random() < 0.5) await wake(world);
  },
  async 'change pages'({ site, scenario, runs, kernel }, _act, random) {
    const watch = pick(random, [...scenario.watches.keys()]);
    const pages = site.list(watch);
    const day = new Date(kernel.now()).toISOString().slice(0, 10);
    const leaving = random() < 0.5 ? 0 : random() < 0.8 ? 0.2 : 0.7;
    const changing = random() < 0.5 ? 0 : 0.3;
    const kept = pages.flatMap((page) => {
      if (random() < leaving) return [];
      return [page.lastmod !== null && random() < changing ? { ...page, lastmod: day } : page];
    });
    const added = random() < 0.7 ? makePages(random, watch, `n${runs}-${day}`, 1 + Math.floor(random() * 10)) : [];
    site.publish(watch, [...kept, ...added]);
  },
};

export async function startRuns(world: World): Promise<void> {
  await startAll(world, startRun);
}

async function startChecks(world: World): Promise<void> {
  await startAll(world, (client, ledger, watch, _until, name) => startCheck(client, ledger, watch, name));
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
      await start(client, world.ledgerId, watch, 'terminal', name);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) && !isOutage(error)) throw error;
    }
  }
}

const isOutage = (error: unknown): boolean => (error as Error).name === 'ServiceError';

async function wake(world: World): Promise<void> {
  const client = createClient(world.temporal, world.operator);
  await client.workflow
    .getHandle(dispatcherWorkflowId(world.ledgerId, 'main' as AccountId))
    .signal(wakeSignal)
    .catch(() => undefined);
}
