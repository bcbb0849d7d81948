import { buy, buyAll, list, MINUTE, runAll, unlist } from '../sequences/steps.ts';
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
} satisfies Record<string, KnownBreach>;
