import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, HOUR, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { listOverdueJobs } from './overdue-jobs.ts';

describe('overdue jobs', () => {
  testLedger('an open job is overdue once the timeout of its service level has passed', async (ledger) => {
    const site: string[] = [];
    for (const service of ['standard', 'fast'] as const) {
      site.push(service);
      await crawled(ledger, service, { a: site });
      await planRun(ledger, service as RunId, { account: ACCOUNT, watch: { ...WATCH, service } });
      await endRun(ledger, service as RunId, 'finished');
    }
    const [fast, standard] = await sendAll(ledger);
    const find = async () =>
      (await listOverdueJobs(ledger, ACCOUNT.id, { standard: 3 * HOUR, fast: HOUR })).map(({ reference }) => reference);
    assert.deepEqual(await find(), []);
    ledger.pass(HOUR);
    assert.deepEqual(await find(), [fast]);
    ledger.pass(2 * HOUR);
    assert.deepEqual(await find(), [standard, fast]);
  });
});
