import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Submission } from '../../contract/responses.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import { openService } from '../support/service.ts';
import { NAMESPACE, temporalAddress } from '../support/temporal.ts';
import { recordHistory } from './recordings.ts';

/** How long a job is queued and processed; 0: no timer at all. */
const SCENARIOS = [
  { scenario: 'with-timers', urls: ['https://a.example/1', 'https://a.example/~fail'], ms: 60, ends: 'partial' },
  { scenario: 'at-once', urls: ['https://a.example/1'], ms: 0, ends: 'completed' },
] as const;

describe('processSubmission', () => {
  for (const { scenario, urls, ms, ends } of SCENARIOS) {
    test(`takes a submission from queued to ${ends}, ${scenario.replace('-', ' ')}`, async (t) => {
      const address = await temporalAddress(t);
      const { client } = await openService(t, 'sqlite', {
        temporal: { address, taskQueue: `test-${randomUUID()}` },
        settings: { processing: { simulated: { fastMs: ms, standardMs: ms }, sweepMs: 100 } },
      });
      const submission = await client.post<Submission>('/submissions', `key-${randomUUID()}`, {
        urls,
        service: 'fast',
      });
      const { reference } = submission.body.data;
      const temporal = await connectClient({ address, namespace: NAMESPACE });
      t.after(() => temporal.connection.close());
      const handle = temporal.client.workflow.getHandle(reference);
      // The service starts the workflow after it has answered: its end is seen where customers see it.
      while ((await client.detail(reference)).finished_at === null) await sleep(50);
      assert.equal(await handle.result(), ends);
      assert.equal((await client.detail(reference)).status, ends);
      await recordHistory(scenario, address, reference);
    });
  }
});
