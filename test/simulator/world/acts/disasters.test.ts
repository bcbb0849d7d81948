import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Dialect } from '../dialect.ts';
import type { Act } from '../scenario.ts';
import type { World } from '../world.ts';
import { DISASTER_PLAYS } from './disasters.ts';

const ACT: Act = { at: 0, kind: 'restore ledger', forMs: 1_000, salt: 1 };
/** A request that its client has given up arrives within this time. */
const LATE_MS = 150_000;
const DIALECT: Dialect = { profile: null, pageLimit: 100, lagMs: 0, copies: false, filtersPages: false };

/** How long the workers stay away after the copy of a ledger is back. */
async function restore(scenario: Pick<World['scenario'], 'listLagMs' | 'services'>): Promise<number> {
  let now = 0;
  let restoredAt = 0;
  let startedAt = 0;
  const world = {
    scenario,
    kernel: {
      trace() {},
      sleep: async (ms: number) => {
        now += ms;
      },
    },
    oracle: { copyLedger() {}, restoreLedger() {} },
    labels: { restored() {} },
    stores: {
      backUp() {},
      restore: async () => {
        restoredAt = now;
      },
    },
    whileStopped: async (work: () => Promise<void>) => {
      await work();
      startedAt = now;
    },
  };
  await DISASTER_PLAYS['restore ledger'](world as unknown as World, ACT, () => 0.9);
  return startedAt - restoredAt;
}

describe('restoring a ledger', () => {
  test('no worker starts before the list shows all jobs', async () => {
    for (const listLagMs of [0, 30_000, 240_000]) {
      const waited = await restore({ listLagMs });
      assert.ok(waited >= LATE_MS + listLagMs, `${waited} ms for a list that lags ${listLagMs} ms`);
    }
    const services = { isSecondElsewhere: false, dialect: { ...DIALECT, lagMs: 240_000 } };
    assert.ok((await restore({ listLagMs: 0, services })) >= LATE_MS + 240_000);
  });
});
