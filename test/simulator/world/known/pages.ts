import { forgetPages } from '../../../../src/ledger/forgotten/forget-pages.ts';
import type { Url } from '../../../../src/url/normalize-url.ts';
import { startRuns } from '../acts/runs.ts';
import { recover } from '../operator.ts';
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
  unlist,
} from '../sequences/steps.ts';
import { FAILS, SITE } from '../site.ts';
import type { KnownBreach } from './known-breach.ts';

const MONTH = 30 * 24 * HOUR;

/** Which versions of which pages are bought. */
export const KNOWN_OF_PAGES = {
  'renamed and renamed back': {
    finding: 'R1',
    cause: 'src/ledger/pages/take-over.ts leaves the lists of the watch whose pages it takes',
    expects: /^bought: \S+ was not bought as it is listed, although the watch has its name back/,
    explains: ({ rule, cause }) => rule === 'reports' && cause === 'not_listed, its watch has its name back',
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
    // The pages that it has lost are not gone for its guard either.
    explains: ({ rule, cause = '' }) =>
      rule === 'guards' && /^gone.*, of a watch that was away while another listed them$/.test(cause),
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
    explains: ({ rule, cause = '' }) =>
      (rule === 'bought' || rule === 'reports') &&
      cause.endsWith('has failed, and was not bought again, and several watches listed it'),
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
  'recovered while its watch is away': {
    finding: 'X1',
    cause:
      'src/connector/assign-watch.ts gives a job to the only watch that is configured, and src/ledger/jobs/take-out.ts takes its pages out of the plans of that one alone',
    expects: /^each version once: \S+ was bought again/,
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
  'one page forgotten, and most others gone': {
    finding: 'Y1',
    cause:
      'src/ledger/forgotten/forget-sitemaps.ts drops what the sitemaps of a removed watch listed, so the pages that are gone by its return are never found',
    expects: /^guards: .* were gone and nobody has approved that/,
    explains: ({ rule, cause = '' }) =>
      rule === 'guards' && /^gone.*, in a watch of which pages were forgotten$/.test(cause),
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
} satisfies Record<string, KnownBreach>;
