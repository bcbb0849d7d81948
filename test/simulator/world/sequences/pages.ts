import { startRuns } from '../acts/runs.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, HOUR, list, MINUTE, publish, runAll, runAndDie, stayAway } from './steps.ts';

/** Pages that several watches list, or a watch that was away, renamed or given up. */
export const PAGE_SEQUENCES = {
  'first run given up, then most pages gone': {
    world: { jobMs: 20 * MINUTE, runsUntil: 'terminal', workers: 1 },
    async play(world, _act, random) {
      const { site } = world;
      publish(world, 'w0', 'many', 12);
      await runAndDie(world, 'w0');
      await stayAway(world, () => 40 + random() * 20, 'two days');
      site.publish('w0', site.list('w0').slice(-3));
      publish(world, 'w0', 'new', 1);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(6 * HOUR);
    },
  },
  'half of the pages gone, and others moved here': {
    async play(world, _act, _random) {
      const { site } = world;
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', 6));
      const known = site.list('w0');
      const others = publish(world, 'w1', 'others', 2 * known.length);
      await buy(world, 'w1', others);
      await awaitIdle(world);
      site.publish('w0', known.slice(Math.ceil(known.length / 2)));
      list(world, 'w0', others, '2026-01-01');
      publish(world, 'w0', 'new', 1);
      await runAll(world);
    },
  },
} satisfies Record<string, Sequence>;
