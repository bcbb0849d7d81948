import type { Outage } from '../faults.ts';
import type { World } from '../world.ts';
import { crashWhileSending, startSending } from './bad-moment.ts';
import type { Play } from './play.ts';

const MINUTE = 60_000;

/** Begins an outage that ends after a while, whatever comes between. */
const begin = (world: World, outage: Outage, random: () => number): Promise<void> =>
  world.suffer(outage, (5 + Math.floor(random() * 30)) * MINUTE);

/** A worker sends a batch, and the service charges it: its answer is lost. */
const lose: Play = async (world, act, random) => {
  world.outages.add('answers are lost');
  await startSending(world, act, random);
  await world.nextSubmission();
  world.outages.delete('answers are lost');
};

/** Then every submission meets this, and at least one of them has. */
const thenSuffer = async (world: World, outage: Outage, random: () => number): Promise<void> => {
  void begin(world, outage, random);
  await world.nextSubmission();
  await world.kernel.sleep(Math.floor(random() * 3_000));
};

/** What a batch is in when an act begins. A focused seed names one of them, so that each is played with each act. */
export const MOMENTS = {
  /** It has just left the worker. */
  async 'batch is sent'(world, act, random) {
    await startSending(world, act, random);
    await world.nextSubmission();
  },
  /** The worker that sent it is dead. */
  'worker died': crashWhileSending,
  /** It is charged and in doubt, and so are those that follow. */
  async 'answers are lost'(world, act, random) {
    void begin(world, 'answers are lost', random);
    await startSending(world, act, random);
    await world.nextSubmission();
    await world.kernel.sleep(Math.floor(random() * 3_000));
  },
  /** It waits, and nothing was charged. */
  async 'nothing is taken'(world, act, random) {
    void begin(world, 'nothing is taken', random);
    await startSending(world, act, random);
    await world.nextSubmission();
    await world.kernel.sleep(Math.floor(random() * MINUTE));
  },
  /** It is charged and in doubt, and a refusal that is certain followed. */
  async 'lost, then not taken'(world, act, random) {
    await lose(world, act, random);
    await thenSuffer(world, 'nothing is taken', random);
  },
  async 'lost, then refused'(world, act, random) {
    await lose(world, act, random);
    if (random() < 0.3) void begin(world, 'the list fails', random);
    await thenSuffer(world, 'batches are refused', random);
  },
  async 'worker died, then not taken'(world, act, random) {
    await crashWhileSending(world, act, random);
    await thenSuffer(world, 'nothing is taken', random);
  },
} satisfies Record<string, Play>;

export type Moment = keyof typeof MOMENTS;
