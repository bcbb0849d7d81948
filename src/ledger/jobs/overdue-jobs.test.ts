import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, HOUR, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { listOverdueJobs } from './overdue-jobs.ts';
import { resolveJob } from './settle-job.ts';

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

  testLedger(
    'one that is left counts its URLs as bought as they were sent: a change seen since is bought',
    async (ledger) => {
      const run = async (name: string, lastmods: readonly string[]) => {
        await crawled(ledger, name, { a: lastmods.map((lastmod, at): [string, string] => [`${at}`, lastmod]) });
        const { urls } = await planRun(ledger, name as RunId, { account: ACCOUNT, watch: WATCH });
        await endRun(ledger, name as RunId, 'finished');
        return urls;
      };
      assert.equal(await run('first', ['2026-01-01', '2026-01-01']), 2);
      const [job] = await sendAll(ledger);
      ledger.pass(24 * HOUR);
      await crawled(ledger, 'sees', {
        a: [
          ['0', '2026-01-02'],
          ['1', '2026-01-01'],
        ],
      });
      await endRun(ledger, 'sees' as RunId, 'finished');
      await resolveJob(ledger, ACCOUNT.id, job!, 'leave', { retryFailed: null });
      assert.equal(await run('after', ['2026-01-02', '2026-01-01']), 1, 'the page that changed alone');
    },
  );
});
