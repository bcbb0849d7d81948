import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, completeRun, crawled, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { AccountId, Reference, RunId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import { getAccountStatus } from '../money/account-status.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { hasUrlOf, holdSpending, listProjects, listProjectsOfWatches, releaseHistoryHold } from './history-hold.ts';
import { recoverJob } from './recover.ts';

const SECOND = 'second' as AccountId;
const THIRD = 'third' as AccountId;

describe('a job with a URL of a watch', () => {
  testLedger('is ours in each account that the watch has been in', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] });
    await completeRun(ledger, 'r2', { a: ['1'] }, { account: SECOND });
    const isOurs = await Promise.all(
      [ACCOUNT.id, SECOND, THIRD].map((account) => hasUrlOf(ledger, account, [shopUrl('1')])),
    );
    assert.deepEqual(isOurs, [true, true, false]);
    assert.equal(await hasUrlOf(ledger, ACCOUNT.id, [shopUrl('2')]), false);
  });
});

describe('the projects of an account', () => {
  testLedger('are those of its batches, planned and recovered, without tags and each once', async (ledger) => {
    for (const run of ['r1', 'r2']) {
      await crawled(ledger, run, { a: ['1', run] });
      await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, run as RunId, 'finished');
    }
    for (const [reference, project] of [
      ['R-1', 'Old shop [sc00112233445566]'],
      ['R-2', 'Old shop [sc00112233445577]'],
      ['R-3', 'By hand'],
    ] as const) {
      await recoverJob(
        ledger,
        { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
        {
          ...{ reference: reference as Reference, state: 'completed', terminal: true, service: 'standard', project },
          ...{ createdAt: ledger.now(), charge: null },
          urls: [{ url: shopUrl(reference), result: 'completed', reason: null }],
        },
      );
    }
    const projects = await listProjects(ledger, ACCOUNT.id);
    assert.deepEqual(projects.toSorted(), ['By hand', 'Old shop', WATCH.project].toSorted());
    assert.deepEqual(await listProjects(ledger, SECOND), []);
    const watches = new Set((await listProjectsOfWatches(ledger, ACCOUNT.id)).map(({ watch }) => watch));
    assert.deepEqual([...watches], [WATCH.id]);
  });
});

describe('the end of a hold', () => {
  testLedger('ends no other hold, and no suspension that is not its own', async (ledger) => {
    await ledger.db.tx((tx) => lockAccount(tx, ACCOUNT.id));
    const hold = (why: string) => ({ code: 'list_unread', why }) as const;
    const suspended = async () => (await getAccountStatus(ledger, ACCOUNT.id)).suspended?.code;
    await holdSpending(ledger, ACCOUNT.id, hold('HTTP 500'));
    assert.equal(await releaseHistoryHold(ledger, ACCOUNT.id, hold('HTTP 503')), false);
    assert.equal(await suspended(), 'history_hold');
    assert.equal(await releaseHistoryHold(ledger, ACCOUNT.id, hold('HTTP 500')), true);
    assert.equal(await suspended(), undefined);
    assert.equal(await releaseHistoryHold(ledger, ACCOUNT.id, hold('HTTP 500')), false, 'it has ended');
  });
});
