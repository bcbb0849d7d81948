import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, WorkflowNotFoundError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { CommandError } from '../../cli-kit/exit-codes.ts';
import { type DecisionKind, sendDecision } from './send-decision.ts';

const RUN = 'watch/shop/1';

/** Sends a decision to a server that answers so; what is printed, and within what time an answer is expected. */
async function decide(kind: DecisionKind, update: () => Promise<string>) {
  const printed: string[] = [];
  const deadlines: number[] = [];
  const client = {
    withDeadline: (deadline: number, work: () => Promise<unknown>) => {
      deadlines.push(deadline);
      return work();
    },
    workflow: { getHandle: () => ({ executeUpdate: update }) },
  } as unknown as Client;
  const before = Date.now();
  const taken = await sendDecision({ print: (line) => printed.push(line) }, client, kind, RUN, { by: 'ops' });
  const within = deadlines.map((deadline) => deadline - before);
  return { taken, printed: printed.join('\n'), within };
}

const rejection = (error: Error) =>
  decide('approve', () => Promise.reject(error)).then(
    () => assert.fail('it was decided'),
    (thrown: unknown) => {
      assert.ok(thrown instanceof CommandError);
      return thrown;
    },
  );

describe('sendDecision', () => {
  test('reject says that the URLs stay due, and how to leave them out', async () => {
    const { printed } = await decide('reject', async () => 'rejected');
    assert.match(printed, /is rejected\. This run submits nothing\. Its URLs stay due: the next run finds them again/);
    assert.match(printed, /To leave them out permanently, exclude them/);
  });

  test('approve says that the URLs are submitted', async () => {
    const { taken, printed } = await decide('approve', async () => 'approved');
    assert.deepEqual([taken, printed], ['approved', `${RUN} is approved. What it found is planned and submitted.`]);
  });

  test('waits half a minute for a worker, then says that the decision may not stand', async () => {
    const { within } = await decide('approve', async () => 'approved');
    assert.ok(within.length === 1 && within[0]! >= 30_000 && within[0]! < 31_000, `${within} ms`);
    const late = await rejection(new WorkflowUpdateRPCTimeoutOrCancelledError('too late'));
    assert.equal(late.exitCode, 5);
    assert.match(late.message, /No worker took the decision on watch\/shop\/1 within 30 s, so it may not stand/);
  });

  test('of a run that has ended is a usage error', async () => {
    const unknown = await rejection(new WorkflowNotFoundError('not found', RUN, undefined));
    assert.equal(unknown.exitCode, 2);
    assert.match(unknown.message, /No run "watch\/shop\/1" is active\. Nothing was decided, submitted or charged/);
  });
});
