import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Micros } from '../contract/money.ts';
import type { BatchAnswered, WorkerEvent } from '../src/observability/worker-events.ts';
import type { AccountId, BatchId, Reference, WatchId } from '../src/submission/ids.ts';
import { reportBatch } from './report-batch.ts';

const batch = 7 as BatchId;
const answered = {
  account: 'main' as AccountId,
  watch: 'shop' as WatchId,
  batch,
  service: 'standard',
  urls: 3,
  requestId: 'req_1',
} as const;

function report(recorded: Parameters<typeof reportBatch>[2]): BatchAnswered | undefined {
  const events: WorkerEvent[] = [];
  reportBatch({ emit: (event) => events.push(event) }, answered, recorded);
  return events[0] as BatchAnswered | undefined;
}

describe('reports of batches', () => {
  test('an acceptance is reported with its reference, its charge and the request id', () => {
    const reference = 'sub_1' as Reference;
    const charged = 750_000 as Micros;
    const event = report({ kind: 'accepted', batch, reference, charged, again: false });
    assert.deepEqual(
      [event?.accepted, event?.reference, event?.charged, event?.requestId],
      ['now', reference, charged, 'req_1'],
    );
  });

  test('a batch that needs review names the command', () => {
    const event = report({ kind: 'needs_review', batch, reason: 'status 400' });
    assert.match(event?.outcome ?? '', /courier batches resolve 7/);
    assert.equal(event?.accepted, 'no');
  });

  for (const [what, recorded, outcome, reason] of [
    [
      'a late acceptance',
      { kind: 'accepted', batch, reference: 'sub_1' as Reference, charged: null, again: true },
      /^was already accepted as sub_1$/,
      null,
    ],
    [
      'a rejection',
      { kind: 'refused', batch, quarantined: 2, children: [8 as BatchId] },
      /^is rejected: 2 URLs are quarantined, 1 smaller batches follow$/,
      null,
    ],
    ['a doubt', { kind: 'in_doubt', batch, reason: 'no answer' }, /^is in doubt and is looked up/, 'no answer'],
    [
      'a contradiction',
      { kind: 'contradicted', batch, reason: 'two references' },
      /^was accepted before, and this response contradicts/,
      'two references',
    ],
  ] as const) {
    test(`${what} is reported in its own words`, () => {
      const event = report(recorded);
      assert.match(event?.outcome ?? '', outcome);
      assert.equal(event?.reason, reason);
    });
  }

  test('a retry and a suspension are not reported for each batch', () => {
    assert.equal(report({ kind: 'retry', batch, notBefore: 1 }), undefined);
    assert.equal(report({ kind: 'suspended', batch, reason: 'no money' }), undefined);
  });
});
