import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Client } from '@temporalio/client';
import { ACCOUNT, crawled, sendAll, shopUrl, testLedger, WATCH } from '../../test/support/ledger.ts';
import { recordPoll } from '../ledger/jobs/record-poll.ts';
import { settleJob } from '../ledger/jobs/settle-job.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { getRunSummary } from '../ledger/reports/run-summary.ts';
import type { RunId } from '../submission/ids.ts';
import { WATCH_PHASE } from '../temporal-api/phases.ts';
import { createRunWaker } from './wake-ended-run.ts';

const RUN = 'r1' as RunId;

describe('a run that is followed to the end of its jobs', () => {
  testLedger('is woken when its last job has ended, and not before', async (ledger) => {
    const signals: string[] = [];
    const getHandle = (id: string) => ({
      signal: async ({ name }: { readonly name: string }) => void signals.push(`${id} ${name}`),
    });
    const client = { workflow: { getHandle } } as unknown as Client;
    const wake = createRunWaker({ client, ledger, now: ledger.now }, RUN, 'terminal');
    const follow = async (phase: string = WATCH_PHASE.waiting) => {
      ledger.pass(6_000);
      await wake({ phase, read: 0, summary: await getRunSummary(ledger, RUN) });
      return signals.splice(0);
    };
    await crawled(ledger, RUN, { 'https://shop.example/sitemap.xml': ['1'] });
    await planRun(ledger, RUN, { account: ACCOUNT, watch: WATCH });
    assert.deepEqual(await follow(), [], 'its batch is not accepted');
    const [reference] = await sendAll(ledger);
    assert.deepEqual(await follow(), [], 'its job is open');
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed: null });
    assert.deepEqual(await follow(WATCH_PHASE.submitting), [], 'it does not wait long');
    assert.deepEqual(await follow(), ['r1 wake'], shopUrl('1'));
    await wake({ phase: WATCH_PHASE.waiting, read: 0, summary: await getRunSummary(ledger, RUN) });
    assert.deepEqual(signals, [], 'not more often than every few seconds');
  });
});
