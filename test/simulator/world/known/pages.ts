import { startRuns } from '../acts/runs.ts';
import { recover } from '../operator.ts';
import {
  awaitIdle,
  buy,
  buyAll,
  copyLedger,
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

/** Which versions of which pages are bought. */
export const KNOWN_OF_PAGES = {
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
} satisfies Record<string, KnownBreach>;
