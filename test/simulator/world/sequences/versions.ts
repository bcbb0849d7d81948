import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, cancelAll, change, publish, publishSome, runAll, runAndWait } from './steps.ts';

/** Versions that were bought show themselves in another form, in another place or again. */
export const VERSION_SEQUENCES = {
  'one moment in two formats': {
    async play(world, _act, random) {
      const { site } = world;
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'common');
      for (const day of ['2026-01-05', '2026-02-05', '2026-03-05']) {
        for (const [sitemap, time] of [
          ['w0', 'T07:00:00Z'],
          ['w1', 'T10:00:00+03:00'],
        ] as const) {
          const others = site.list(sitemap).filter(({ url }) => !urls.includes(url));
          site.publish(sitemap, [...others, ...urls.map((url) => ({ url, lastmod: `${day}${time}` }))]);
        }
        await runAll(world);
      }
    },
  },
  'cancelled change, then the old lastmod': {
    world: { runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'changing');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      change(world, 'w0', urls, '2026-02-02');
      await runAndWait(world, 'w0');
      await cancelAll(world);
      world.meets.delete('w0');
      change(world, 'w0', urls, '2026-01-01');
      await runAll(world);
    },
  },
  'one page twice in a file': {
    async play(world, _act, _random) {
      const { site } = world;
      await buyAll(world);
      const url = publish(world, 'w0', 'twice', 1)[0]!;
      const others = site.list('w0').filter((page) => page.url !== url);
      const dates = ['2026-02-01', '2026-02-02'];
      for (let night = 0; night < 4; night++) {
        const entries = (night % 2 === 0 ? dates : dates.toReversed()).map((lastmod) => ({ url, lastmod }));
        site.publish('w0', [...others, ...entries]);
        await runAll(world);
      }
    },
  },
  'there and back, bought each time': {
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'flapping');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      for (const lastmod of ['2026-02-02', '2026-01-01', '2026-02-02']) {
        change(world, 'w0', urls, lastmod);
        await runAll(world);
      }
    },
  },
} satisfies Record<string, Sequence>;
