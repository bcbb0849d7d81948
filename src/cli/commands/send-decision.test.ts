import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ACCOUNT, completeRun, crawled, NO_GUARD, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { CommandError } from '../../cli-kit/exit-codes.ts';
import { recordBalance } from '../../ledger/money/balance.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { judgeRun } from '../../ledger/plans/judge-run.ts';
import { planRun } from '../../ledger/plans/make-plan.ts';
import { findDecision } from '../../ledger/runs/decide-run.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { RunId } from '../../submission/ids.ts';
import { type DecisionKind, sendDecision } from './send-decision.ts';

const RUN = 'r2' as RunId;
const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, balanceFloor: ACCOUNT.pricePerUrl.standard! } };
const input = { account, watch: WATCH };

/** A run that a guard holds with six URLs. */
async function hold(ledger: Ledger): Promise<void> {
  await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
  await crawled(ledger, 'r2', { a: ['0', '1', '2', '3', '4', '5', '6'] });
  await judgeRun(ledger, RUN, { ...NO_GUARD, maxNew: 3 }, { input });
}

/** Decides beside a workflow that is in this state, and does so when it is woken; what is printed. */
async function decide(
  ledger: Ledger,
  kind: DecisionKind,
  { state = 'RUNNING', wake = async () => undefined, planMs = 0 }: Partial<Workflow> = {},
): Promise<string> {
  const printed: string[] = [];
  const handle = {
    async describe() {
      if (state === 'lost') throw new WorkflowNotFoundError('not found', RUN, undefined);
      return { status: { name: state } };
    },
    signal: wake,
  };
  const client = { workflow: { getHandle: () => handle } } as unknown as Client;
  const output = { print: (line: string) => void printed.push(line) };
  await sendDecision({ output, client, ledger, planMs }, kind, RUN, { by: 'ops', note: 'relaunch' });
  return printed.join('\n');
}

interface Workflow {
  readonly state: string;
  readonly wake: () => Promise<unknown>;
  readonly planMs: number;
}

const refused = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it was decided'),
    (thrown: unknown) => {
      assert.ok(thrown instanceof CommandError, String(thrown));
      assert.equal(thrown.exitCode, 2);
      return thrown.message;
    },
  );

describe('sendDecision', () => {
  testLedger('records it before the workflow hears of it, with the name and the note', async (ledger) => {
    await hold(ledger);
    let heard: unknown = null;
    const wake = async () => {
      heard = await findDecision(ledger, RUN);
    };
    const printed = await decide(ledger, 'approve', { wake });
    assert.deepEqual(heard, { decision: 'approved', by: 'ops: relaunch' });
    assert.match(printed, /^r2 is approved\. What was shown is planned and submitted, within the caps, when a worker/);
  });

  testLedger('says what an approval planned', async (ledger) => {
    await hold(ledger);
    await recordBalance(ledger, account.id, (1_000 * account.spend.balanceFloor) as never);
    const printed = await decide(ledger, 'approve', { wake: () => planRun(ledger, RUN, input), planMs: 5_000 });
    assert.equal(printed, 'r2 is approved. 6 URLs are planned for 1.50 TRY.');
  });

  testLedger('says that an approval planned nothing, and why', async (ledger) => {
    await hold(ledger);
    await recordBalance(ledger, account.id, account.spend.balanceFloor);
    const printed = await decide(ledger, 'approve', { wake: () => planRun(ledger, RUN, input), planMs: 5_000 });
    assert.match(
      printed,
      /^r2 is approved\. Nothing of it is planned: 6 URLs stay due: the balance leaves 0\.00 TRY above its floor/,
    );
  });

  testLedger('reject says that the URLs stay due, and how to leave them out', async (ledger) => {
    await hold(ledger);
    const printed = await decide(ledger, 'reject');
    assert.match(printed, /is rejected\. This run submits nothing\. Its URLs stay due: the next run finds them again/);
    assert.match(printed, /To leave them out permanently, exclude them/);
  });

  testLedger('may be sent again: the same wakes the run again, the other is refused', async (ledger) => {
    await hold(ledger);
    let woken = 0;
    const wake = async () => void woken++;
    await decide(ledger, 'approve', { wake });
    await decide(ledger, 'approve', { wake });
    assert.equal(woken, 2);
    assert.match(await refused(decide(ledger, 'reject')), /r2 was already approved\. Nothing was changed/);
  });

  testLedger('of a run that is not active decides nothing', async (ledger) => {
    await hold(ledger);
    for (const state of ['lost', 'COMPLETED']) {
      const message = await refused(decide(ledger, 'approve', { state }));
      assert.match(message, /No run "r2" is active\. Nothing was decided, submitted or charged/);
    }
    assert.equal(await findDecision(ledger, RUN), null);
  });

  testLedger('of a run that nobody holds decides nothing', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: ['0'] });
    assert.match(await refused(decide(ledger, 'approve')), /"r2" is not waiting for a decision\. Nothing was changed/);
    await endRun(ledger, RUN, 'finished');
    assert.match(await refused(decide(ledger, 'reject')), /"r2" is not waiting for a decision/);
  });
});
