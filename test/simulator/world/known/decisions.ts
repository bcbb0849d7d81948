import { startChecks } from '../acts/runs.ts';
import { CHECKS } from '../configuration.ts';
import { awaitIdle, buyAll, HOUR, MINUTE } from '../sequences/steps.ts';
import type { KnownBreach } from './known-breach.ts';

/** What people read, and what is so. */
export const KNOWN_OF_DECISIONS = {
  'a key that works again, and nothing to send': {
    finding: 'U2',
    cause:
      'only an accepted batch ends a rejection of the key: src/ledger/index-checks/record-check.ts records one and ends none',
    expects: /^reports: status --check says of main: the service rejects the key/,
    explains: ({ rule, cause }) => rule === 'reports' && cause === 'needs nobody, key',
    world: { policy: { checks: { ...CHECKS, sample: 1 } } },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      await awaitIdle(world);
      world.refusedKeys.add('main');
      await startChecks(world);
      await kernel.sleep(3 * MINUTE);
      world.refusedKeys.delete('main');
      await kernel.sleep(HOUR);
      await startChecks(world);
      await kernel.sleep(HOUR);
    },
  },
  'a list that can be read again, and nothing to send': {
    finding: 'U3',
    cause: 'activities/history-guard.ts ends the hold of an unread list only before the next send',
    expects: /^reports: status --check says of main: it sends nothing: the list of jobs cannot be read/,
    explains: ({ rule, cause }) => rule === 'reports' && cause === 'needs nobody, list',
    world: { policy: { checks: { ...CHECKS, sample: 1 } } },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      await awaitIdle(world);
      void world.suffer('the list fails', 30 * MINUTE);
      // A process reads the list before it spends for the first time.
      await world.whileStopped(() => kernel.sleep(MINUTE));
      await startChecks(world);
      await kernel.sleep(2 * HOUR);
    },
  },
} satisfies Record<string, KnownBreach>;
