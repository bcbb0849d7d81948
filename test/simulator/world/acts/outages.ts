import { pick } from '../../../support/seeded.ts';
import type { Play } from './play.ts';
import { startRuns } from './runs.ts';

const MINUTE = 60_000;

/** What stands still below the connector, and what it reads. */
export const OUTAGE_PLAYS = {
  /** Postgres is away for minutes, in half of the cases from the middle of a commit. */
  async 'stop database'(world, { forMs }, random) {
    const { kernel } = world;
    if (random() < 0.5) {
      world.cutsNextCommit = true;
      for (let waited = 0; world.cutsNextCommit && waited < MINUTE; waited += 1_000) await kernel.sleep(1_000);
      world.cutsNextCommit = false;
    }
    world.isDatabaseDown = true;
    kernel.trace('the database is away');
    await kernel.sleep(MINUTE + Math.min(forMs, 30 * MINUTE));
    world.isDatabaseDown = false;
    kernel.trace('the database is back');
  },
  /** A worker dies while it reads a sitemap, and its service manager starts it again. */
  async 'restart while crawling'(world, { forMs }, random) {
    const crawling = world.nextCrawl();
    await startRuns(world);
    const crawler = await crawling;
    if (crawler === null || crawler.host === null) return;
    if (random() < 0.5) await world.kernel.sleep(random() * 200);
    crawler.crash();
    await world.kernel.sleep(random() < 0.7 ? 10_000 : forMs);
    if (crawler.host === null) crawler.start();
  },
  /** One file of a sitemap cannot be read in one visit, and in the next one it can. */
  async 'lose a file'(world, { forMs }, random) {
    const sitemap = pick(random, [...world.scenario.watches.keys()]);
    const file = `/${sitemap}${world.settings.hasTwoFiles && random() < 0.5 ? '-2' : ''}.xml`;
    world.lostFiles.add(file);
    await startRuns(world);
    await world.kernel.sleep(MINUTE + forMs);
    world.lostFiles.delete(file);
    await startRuns(world);
  },
  /** Jobs under way look partial: some of their pages have ended. */
  'show partial jobs': (world, { forMs }) => world.suffer('jobs look partial', 10 * MINUTE + 4 * forMs),
} satisfies Record<string, Play>;
