import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { runChargeFaults } from '../test/load/charge-faults/run.ts';
import { testOnEachDialect } from '../test/support/database.ts';

/** 1,000 with `npm run load:charge-faults`. */
const FAULTS = 24;

describe('faults at every step of both POSTs', () => {
  testOnEachDialect(
    'spec 4.6 rule 7: an answer says that nothing was charged only where that is true, and the same key gives one charge',
    async (t, dialect) => {
      const { failures, met, kills } = await runChargeFaults(t, dialect, { faults: FAULTS, seed: 3, slow: false });
      assert.deepEqual(failures, []);
      assert.equal(met, FAULTS, 'every fault happened');
      assert.ok(kills > 0);
    },
  );
});
