import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { listOpenSubmissions, recordPoll } from './record-poll.ts';
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
});
