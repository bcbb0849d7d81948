import { startRuns } from '../acts/runs.ts';
import {
  awaitIdle,
  buy,
  buyAll,
  cancelAll,
  change,
  HOUR,
  MINUTE,
  publish,
  publishSome,
  runAndDie,
  runAndWait,
  stayAway,
} from '../sequences/steps.ts';
import { FAILS, SITE } from '../site.ts';
import type { World } from '../world.ts';
import type { KnownBreach } from './known-breach.ts';

const MONTH = 30 * 24 * HOUR;

/** A run of all watches, until nothing is under way. */
async function runAll(world: World): Promise<void> {
  await startRuns(world);
  await world.kernel.sleep(5 * MINUTE);
  await awaitIdle(world);
}

const rename = (world: World, from: string, to: string): Promise<void> =>
  world.reconfigure(({ watches }) => ({
    watches: new Map([...watches].map(([name, sitemap]) => [name === from ? to : name, sitemap])),
  }));

/** A sitemap lists these pages with this lastmod, besides its others. */
function list({ site }: World, sitemap: string, urls: readonly string[], lastmod: string): void {
  const others = site.list(sitemap).filter(({ url }) => !urls.includes(url));
  site.publish(sitemap, [...others, ...urls.map((url) => ({ url, lastmod }))]);
}

function unlist({ site }: World, sitemap: string, urls: readonly string[]): void {
  site.publish(
    sitemap,
    site.list(sitemap).filter(({ url }) => !urls.includes(url)),
  );
}

/** Which versions of which pages are bought. */
export const KNOWN_OF_PAGES = {
  'one moment in two formats': {
    finding: 'A1',
    cause: 'src/ledger/plans/resubmission.ts compares lastmods of two watches as texts',
    expects: /^each version once: \S+ was bought again/,
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'common');
      for (const day of ['2026-01-05', '2026-02-05', '2026-03-05']) {
        list(world, 'w0', urls, `${day}T07:00:00Z`);
        list(world, 'w1', urls, `${day}T10:00:00+03:00`);
        await runAll(world);
      }
    },
  },
  'renamed and renamed back': {
    finding: 'R1',
    cause: 'src/ledger/crawl/take-over.ts leaves the lists of the watch whose pages it takes',
    expects: /^bought: \S+ was not bought as it is listed, although the watch has its name back/,
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'renamed');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      await rename(world, 'w0', 'other');
      await runAll(world);
      await rename(world, 'other', 'w0');
      await runAll(world);
      change(world, 'w0', urls, '2026-02-02');
      await runAll(world);
      world.oracle.requireBought(urls, 'the watch has its name back');
    },
  },
  'away while another watch lists its pages': {
    finding: 'R2',
    cause: 'the same as R1, without a rename',
    expects: /^bought: \S+ was not bought as it is listed, although their own watch is back/,
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'shared');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      const { watches } = world.settings;
      await world.reconfigure({ watches: new Map([...watches].filter(([, sitemap]) => sitemap !== 'w0')) });
      list(world, 'w1', urls, '2026-01-01');
      await runAll(world);
      await world.reconfigure({ watches });
      await runAll(world);
      unlist(world, 'w1', urls);
      change(world, 'w0', urls, '2026-02-02');
      await runAll(world);
      world.oracle.requireBought(urls, 'their own watch is back');
    },
  },
  'failed, and then listed by another watch alone': {
    finding: 'B',
    cause: 'src/ledger/plans/resubmission.ts counts what the other watch has bought, whatever became of it',
    expects: /^bought: \S+ has failed, and was not bought again/,
    world: { jobMs: 3 * MINUTE },
    async play(world, _act, _random) {
      await buyAll(world);
      const urls = [`${SITE}/w0/moving/0${FAILS}`];
      list(world, 'w0', urls, '2026-01-01');
      list(world, 'w1', urls, '2026-01-01');
      await buy(world, 'w0', urls);
      unlist(world, 'w0', urls);
      await runAll(world);
    },
  },
  'not_within across watches': {
    finding: 'D1',
    cause: 'src/ledger/plans/resubmission.ts asks the row of one watch alone when a page was bought',
    expects: /^each version once: .* not_within is/,
    explains: ({ rule, cause }) => rule === 'each version once' && cause === 'not within, across watches',
    world: { policy: { notWithinMs: MONTH } },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'common');
      list(world, 'w1', urls, '2026-01-01');
      await runAll(world);
      // The other watch knows by then that they are bought.
      await runAll(world);
      for (const sitemap of ['w0', 'w1']) list(world, sitemap, urls, '2026-02-02');
      await runAll(world);
    },
  },
  'renamed under a baseline while a cap holds': {
    finding: 'R4',
    cause: 'src/ledger/crawl/earlier-purchases.ts moves only rows that were bought',
    expects: /^bought: \S+ was not bought as it is listed, although no cap holds them any more/,
    world: { policy: { firstRun: 'baseline' } },
    async play(world, _act, random) {
      await runAll(world);
      const urls = publishSome(world, random, 'w0', 'held');
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, perDay: 1 } }));
      await runAll(world);
      await rename(world, 'w0', 'other');
      await runAll(world);
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, perDay: null } }));
      await runAll(world);
      world.oracle.requireBought(urls, 'no cap holds them any more');
    },
  },
  'cancelled change, then the old lastmod': {
    finding: 'C1',
    cause: 'src/ledger/batches/cancel-batch.ts forgets which lastmod an earlier purchase has bought',
    expects: /^each version once: \S+ was bought again/,
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
    finding: 'S1',
    cause: 'a page that a file lists twice with two lastmods takes the one that comes last',
    expects: /^each version once: \S+ was bought again/,
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
  'first run given up, then most pages gone': {
    finding: 'W1',
    cause:
      'src/ledger/runs/runs.ts calls a run the first one when none before it was finished, whatever an earlier one has bought',
    expects: /^guards: .* were gone and nobody has approved that/,
    explains: ({ rule, cause = '' }) => rule === 'guards' && cause.endsWith(', in a run that is not the first'),
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
  'there and back, bought each time': {
    finding: 'V1',
    cause: 'the ledger remembers the lastmod that was bought last, not those before it',
    expects: /^each version once: \S+ was bought again/,
    explains: ({ rule, cause }) => rule === 'each version once' && cause === 'a version that came back',
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'flapping');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      for (const lastmod of ['2026-02-02', '2026-01-01']) {
        change(world, 'w0', urls, lastmod);
        await runAll(world);
      }
    },
  },
} satisfies Record<string, KnownBreach>;
