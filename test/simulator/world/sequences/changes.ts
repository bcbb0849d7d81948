import { startRuns } from '../acts/runs.ts';
import { SITE } from '../site.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, cancelAll, change, HOUR, MINUTE, publishSome, runAndSend } from './steps.ts';

/** Sitemaps say something else about pages that were bought, or will be. */
export const CHANGE_SEQUENCES = {
  /** A change is seen that a cap keeps from being bought, and is taken back. */
  'lastmod there and back': {
    world: { epoch: Date.UTC(2026, 2, 10, 10), configuresPrice: true },
    async play(world, _act, random) {
      const { kernel, oracle } = world;
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'flapping');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      const perDay = oracle.getSpent('perDay', ['w0', 'w1']);
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, perDay } }));
      for (const lastmod of ['2026-02-02', '2026-01-01']) {
        change(world, 'w0', urls, lastmod);
        await startRuns(world, { sitemaps: ['w0'] });
        await kernel.sleep(10 * MINUTE);
        await awaitIdle(world);
      }
      oracle.setUnwanted(urls, 'their lastmod is the one that was bought');
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, perDay: null } }));
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(HOUR);
    },
  },
  'pages get their first dates': {
    async play(world, _act, random) {
      const { site, kernel } = world;
      await buyAll(world);
      const urls = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, n) => `${SITE}/w0/undated/${n}`);
      site.publish('w0', [...site.list('w0'), ...urls.map((url) => ({ url, lastmod: null }))]);
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      change(world, 'w0', urls, '2026-02-02');
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(HOUR);
    },
  },
  /** A batch of one watch waits with pages that another watch lists as well; it is sent, or they leave and it is cancelled. */
  'planned by another watch': {
    world: { runsUntil: 'planned' },
    async play(world, _act, random) {
      const { site, kernel } = world;
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'common');
      world.meets.set('w0', 'later');
      await runAndSend(world, 'w0');
      site.publish('w1', [...site.list('w1'), ...site.list('w0').filter(({ url }) => urls.includes(url))]);
      await startRuns(world, { sitemaps: ['w1'] });
      await kernel.sleep((2 + random() * 10) * MINUTE);
      if (random() < 0.5) {
        site.publish(
          'w0',
          site.list('w0').filter(({ url }) => !urls.includes(url)),
        );
        await cancelAll(world);
      }
      world.meets.delete('w0');
      await kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
} satisfies Record<string, Sequence>;
