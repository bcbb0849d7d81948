import type { TestContext } from 'node:test';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { FAULTS } from '../fakes/service/faults.ts';
import { createSeededProfile } from '../fakes/service/profiles/seeded.ts';
import type { Dialect } from '../support/database.ts';
import { createTestConnector, KEY } from '../support/test-connector.ts';

export const MINUTE = 60_000;
export const PRICE_KURUS = 20;
/** A stall takes half a second, a 402 suspends the account: both are tested by themselves. */
const UNTESTED_HERE = ['stall-before', 'stall-after', 'error-402-before'];
export const PASSING_FAULTS = FAULTS.filter((fault) => !UNTESTED_HERE.includes(fault));
/** A success without results is taken as it is: the check was paid for. */
export const CHECK_FAULTS = PASSING_FAULTS.filter((fault) => fault !== 'no-reference-after');
/** Keys live an hour here and are trusted for fifty minutes; the list is half a minute late, and asked again after one. */
const TIMES = { keyLifeMs: 60 * MINUTE, listLagMs: MINUTE / 2 };
const ACCOUNT =
  'reconcile: { after: 50m, confirm_after: 1m }, tracking: { standard: { first: 1m, min: 1m, max: 5m, growth: 1.5, timeout: 60d } }';

const one = process.env.COURIER_TEST_SEED;
export const SEEDS =
  one === undefined
    ? Array.from({ length: Number(process.env.COURIER_TEST_SEEDS ?? 24) }, (_, n) => n + 1)
    : [Number(one)];

/** A service with the seed's profile, and connectors that use it, all on the clock of the newest connector. */
export async function openSeededScene(t: TestContext, dialect: Dialect, seed: number, watch: string, more = '') {
  let now = () => 0;
  const profile = createSeededProfile(seed);
  const service = await startFakeService(t, {
    profile,
    apiKey: KEY,
    now: () => now(),
    priceKurus: PRICE_KURUS,
    ...TIMES,
  });
  const account = [ACCOUNT, more, profile.account].filter(Boolean).join(', ');
  /** With an empty ledger. */
  const connect = async () => {
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl, account, watch, dialect });
    const late = now() - connector.now();
    if (late > 0) connector.pass(late);
    // A request takes time: a balance and the charge after it are never of the same millisecond.
    now = () => {
      connector.pass(1);
      return connector.now();
    };
    return connector;
  };
  return { service, profile, connect, connector: await connect() };
}
