import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { beginCheck } from '../src/ledger/index-checks/begin-check.ts';
import { listOpenSubmissions, recordPoll } from '../src/ledger/jobs/record-poll.ts';
import { settleJob } from '../src/ledger/jobs/settle-job.ts';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { createTestConnector } from '../test/support/test-connector.ts';
import { checkActivities } from './checks.ts';

const RUN = { watch: 'shop' as WatchId, account: 'main' as AccountId, run: 'r1' as never };
const HOUR = 3_600_000;

describe('an index-check', () => {
  test('that waits for its next attempt is asked for when that is due, and nothing is sent before', async (t) => {
    const service = await startFakeService(t);
    const connector = await createTestConnector(t, {
      baseUrl: service.baseUrl,
      account: 'price_per_url: 0.25 TRY',
      watch: 'index_check: { after: 1d, every: 7d }',
    });
    await connector.plan('r1', ['1', '2']);
    const sent = await connector.send();
    assert.ok(sent.kind === 'sent');
    const { ledger, deps } = connector;
    const [job] = await listOpenSubmissions(connector.ledger, RUN.account);
    const seen = { state: 'completed', terminalStates: ['completed'] };
    await recordPoll(ledger, RUN.account, job!.reference, seen);
    await settleJob(ledger, RUN.account, job!.reference, { retryFailed: { times: 0, afterMs: 0 } });
    connector.pass(25 * HOUR);
    const account = deps.getAccount(RUN.account);
    const { indexCheck: policy, spend } = deps.getWatch(RUN.watch);
    const begun = await beginCheck(ledger, { account, watch: RUN.watch, spend, policy: policy! });
    assert.equal(begun.kind, 'send');
    await ledger.db.run({
      strings: [`UPDATE checks SET waits_since = 0, not_before = ${connector.now() + HOUR}`],
      parts: [],
    });
    await assert.rejects(
      checkActivities(deps).checkNextBatch(RUN),
      (error) =>
        isRetryLater(error) && error.nextRetryDelay === HOUR && /waits for its next attempt/.test(error.message),
    );
    assert.ok(
      service.requests.every((request) => !request.includes('index-check')),
      service.requests.join(),
    );
  });
});
