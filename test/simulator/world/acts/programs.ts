import { pick } from '../../../support/seeded.ts';
import type { Program } from '../programs.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';

/** Calls to a database or the network after which a program dies at the latest. */
const FUSE = 120;
/** When nothing has used up the fuse by then, the program dies anyway. */
const FUSE_MS = 3_600_000;

export const PROGRAM_PLAYS = {
  async 'crash worker'(world, { forMs }, random) {
    const worker = pick(random, world.workers);
    if (worker.host === null) return NOTHING;
    worker.crash();
    await world.kernel.sleep(forMs);
    worker.start();
  },
  /** Dies just before or after a call to a database or the network: between any two commits. */
  'crash worker at a call': (world, { forMs }, random) => burn(world, pick(random, world.workers), forMs, random),
  'crash service at a call': (world, { forMs }, random) => burn(world, world.service, forMs, random),
  async 'crash service'({ kernel, service }, { forMs }) {
    if (service.host === null) return NOTHING;
    service.crash();
    await kernel.sleep(forMs);
    service.start();
  },
  async 'stop temporal'(world, { forMs }) {
    const { kernel, temporal } = world;
    temporal.stop();
    await kernel.sleep(forMs);
    temporal.restart();
  },
  /** Its attempts time out at the server and go on elsewhere while they still run here. */
  async 'cut off worker'(world, { forMs }, random) {
    const { worker } = pick(random, world.workers);
    if (worker === null) return NOTHING;
    worker.polls = false;
    await world.kernel.sleep(forMs);
    worker.polls = true;
    world.temporal.restart();
  },
  async reset({ temporal, kernel }, _act, random) {
    const runs = [...temporal.executions.values()].map((each) => each.at(-1)!).filter(({ tasks }) => tasks.length > 0);
    if (runs.length === 0) return NOTHING;
    const running = runs.filter(({ status }) => status === 'RUNNING');
    const run = pick(random, running.length > 0 && random() < 0.8 ? running : runs);
    const task = Math.floor(random() * run.tasks.length);
    kernel.trace(`reset ${run.workflowId} to task ${task} of ${run.tasks.length}`);
    temporal.reset(run, task);
  },
} satisfies Record<string, Play>;

async function burn({ kernel }: World, program: Program, forMs: number, random: () => number): Promise<void> {
  const { host } = program;
  if (host === null) return NOTHING;
  host.fuse = 1 + Math.floor(random() ** 2 * FUSE);
  for (let waited = 0; host.alive && waited < FUSE_MS; waited += 10_000) await kernel.sleep(10_000);
  if (host.alive) program.crash();
  await kernel.sleep(forMs);
  if (program.host === null) program.start();
}
