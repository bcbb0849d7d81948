import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, sendAll, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { AccountId, Reference, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getLastBatch, listOpenSubmissions, listRecoveredSubmissions, recordPoll } from './record-poll.ts';
import { recoverJob } from './recover.ts';
import { settleJob } from './settle-job.ts';

describe('record poll', () => {
  testLedger('open jobs are those accepted and not settled, oldest first, optionally since a time', async (ledger) => {
    const accepted = [];
    for (const name of ['r1', 'r2', 'r3']) {
      await crawled(ledger, name, { a: [name] });
      await planRun(ledger, name as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, name as RunId, 'finished');
      const [reference] = await sendAll(ledger);
      accepted.push({ reference: reference!, at: ledger.now() });
      ledger.pass(1_000);
    }
    const [first, second, third] = accepted;
    const open = async (since?: number) =>
      (await listOpenSubmissions(ledger, ACCOUNT.id, since)).map(({ reference }) => reference);
    assert.deepEqual(await open(), [first!.reference, second!.reference, third!.reference]);
    assert.deepEqual(await open(second!.at), [second!.reference, third!.reference]);
    const seen = { state: 'completed', terminalStates: ['completed'] };
    await recordPoll(ledger, ACCOUNT.id, second!.reference, seen);
    assert.equal((await open()).length, 3, 'one that has ended is followed until its URLs have their results');
    await settleJob(ledger, ACCOUNT.id, second!.reference, { retryFailed: { times: 0, afterMs: 0 } });
    assert.deepEqual(await open(second!.at), [third!.reference]);
  });

  testLedger(
    'recovered jobs are those without a key after a batch, of the account, accepted and not settled',
    async (ledger) => {
      const recover = async (reference: string, account = ACCOUNT.id) => {
        await recoverJob(
          ledger,
          { account, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
          {
            ...{ reference: reference as Reference, state: 'processing', terminal: false, service: 'standard' },
            ...{ project: 'Shop', createdAt: ledger.now(), charge: null },
            urls: [{ url: shopUrl(reference), result: 'open', reason: null }],
          },
        );
        return getLastBatch(ledger);
      };
      const before = await recover('R-1');
      await recover('R-2');
      await recover('R-3', 'second' as AccountId);
      await recover('R-4');
      await crawled(ledger, 'r1', { a: ['1'] });
      await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
      await sendAll(ledger);
      await recordPoll(ledger, ACCOUNT.id, 'R-4' as Reference, { state: 'completed', terminalStates: ['completed'] });
      await settleJob(ledger, ACCOUNT.id, 'R-4' as Reference, { retryFailed: { times: 0, afterMs: 0 } });
      const listed = await listRecoveredSubmissions(ledger, ACCOUNT.id, before);
      assert.deepEqual(
        listed.map(({ reference }) => reference),
        ['R-2'],
      );
    },
  );
});
