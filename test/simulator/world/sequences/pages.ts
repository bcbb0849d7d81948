import { forgetPages } from '../../../../src/ledger/forgotten/forget-pages.ts';
import type { Url } from '../../../../src/url/normalize-url.ts';
import { startRuns } from '../acts/runs.ts';
import { recover } from '../operator.ts';
import { FAILS, SITE } from '../site.ts';
import type { Sequence } from './sequence.ts';
import {
  awaitIdle,
  buy,
  buyAll,
  change,
  copyLedger,
  HOUR,
  list,
  MINUTE,
  publish,
  publishSome,
  rename,
  restoreLedger,
  runAll,
  runAndDie,
  runAndWait,
  stayAway,
  unlist,
} from './steps.ts';

const MONTH = 30 * 24 * HOUR;

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
  'renamed and renamed back': {
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
    // The pages that it has lost are not gone for its guard either.
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
  'one page forgotten, and most others gone': {
    async play(world, _act, _random) {
      const { site, oracle } = world;
      await buyAll(world);
      const [gone = '', ...others] = publish(world, 'w0', 'many', 12);
      await buy(world, 'w0', [gone, ...others]);
      await awaitIdle(world);
      const { watches } = world.settings;
      await world.reconfigure({ watches: new Map([...watches].filter(([, sitemap]) => sitemap !== 'w0')) });
      site.publish('w0', site.list('w0').slice(0, 2));
      publish(world, 'w0', 'new', 1);
      const selection = { kind: 'urls', urls: new Set([gone as Url]) } as const;
      const configured = [...world.readConfig().watches.keys()];
      await forgetPages(
        await world.openOperatorLedger(),
        { selection, configured },
        { pause: () => world.kernel.sleep(1) },
      );
      oracle.forgot([gone]);
      await world.reconfigure({ watches });
      await runAll(world);
    },
  },
  'not_within across watches': {
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
  'recovered while its watch is away': {
    async play(world, _act, random) {
      await buyAll(world);
      copyLedger(world);
      await buy(world, 'w0', publishSome(world, random, 'w0', 'lost'));
      await awaitIdle(world);
      await restoreLedger(world, { losesTemporal: false });
      // It plans the pages again, in another batch, and the account is held for the job that the ledger lacks.
      publish(world, 'w0', 'more', 1);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(MINUTE);
      const { watches } = world.settings;
      await world.reconfigure({ watches: new Map([...watches].filter(([, sitemap]) => sitemap === 'w1')) });
      await recover(world);
      await world.reconfigure({ watches });
      await runAll(world);
    },
  },
  'failed, and then listed by another watch alone': {
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
  'seen while another watch buys it, then changed': {
    world: { runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'shared');
      list(world, 'w1', urls, '2026-01-01');
      await runAndWait(world, 'w0');
      // It knows them as planned by the other one.
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(MINUTE);
      world.meets.delete('w0');
      await world.kernel.sleep(15 * MINUTE);
      await awaitIdle(world);
      unlist(world, 'w0', urls);
      change(world, 'w1', urls, '2026-02-02');
      await runAll(world);
      await runAll(world);
      world.oracle.requireBought(urls, 'its watch has shown a later date');
    },
  },
} satisfies Record<string, Sequence>;
