import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Submission, SubmissionDetail } from '../../contract/responses.ts';
import { TEST_DIALECTS } from '../../test/support/database.ts';
import { openService, type TestClient } from '../../test/support/service.ts';

const address = process.env.COURIER_TEST_TEMPORAL;
const options =
  address === undefined ? { skip: 'COURIER_TEST_TEMPORAL names no server (npm run test:all starts one)' } : {};

const quick = { simulated: { fastMs: 60, standardMs: 60 }, sweepMs: 100 };

/** Asks until the submission has ended. */
async function ended(client: TestClient, reference: string): Promise<SubmissionDetail> {
  for (;;) {
    const detail = await client.detail(reference);
    if (detail.finished_at !== null) return detail;
    await sleep(50);
  }
}

async function submit(client: TestClient, urls: string[], service = 'fast'): Promise<string> {
  const answer = await client.post<Submission>('/submissions', `key-${randomUUID()}`, { urls, service });
  assert.equal(answer.status, 202);
  return answer.body.data.reference;
}

describe('processing with Temporal', () => {
  for (const dialect of TEST_DIALECTS) {
    test(
      `spec 3: queued → processing → completed, partial or failed, with a state and reason for each URL (${dialect})`,
      options,
      async (t) => {
        const temporal = { address: address!, taskQueue: `test-${randomUUID()}` };
        const { client } = await openService(t, dialect, {
          temporal,
          settings: { processing: { ...quick, refundFailed: false } },
        });
        const references = await Promise.all([
          submit(client, ['https://a.example/1', 'https://a.example/2']),
          submit(client, ['https://a.example/1', 'https://a.example/~fail']),
          submit(client, ['https://a.example/~fail/1', 'https://a.example/~fail/2'], 'standard'),
        ]);
        const [all, some, none] = await Promise.all(references.map((reference) => ended(client, reference)));
        assert.equal(all?.status, 'completed');
        assert.equal(some?.status, 'partial');
        assert.equal(none?.status, 'failed');
        assert.deepEqual(
          some.urls.map(({ url, status, reason }) => ({ url, status, reason })),
          [
            { url: 'https://a.example/1', status: 'completed', reason: null },
            { url: 'https://a.example/~fail', status: 'failed', reason: 'simulated failure: the URL holds ~fail' },
          ],
        );
        assert.deepEqual([some.urls_completed, some.urls_failed, some.urls_pending], [1, 1, 0]);
        assert.equal(some.refunded, 0, 'failed URLs are not refunded by default');
      },
    );
  }

  test(
    'spec 3: failed URLs are refunded when so configured; the environment names the Temporal server',
    options,
    async (t) => {
      const before = process.env.TEMPORAL_ADDRESS;
      process.env.TEMPORAL_ADDRESS = address!;
      t.after(() => {
        if (before === undefined) delete process.env.TEMPORAL_ADDRESS;
        else process.env.TEMPORAL_ADDRESS = before;
      });
      const temporal = { taskQueue: `test-${randomUUID()}` };
      const { client } = await openService(t, 'sqlite', {
        balance: '1',
        temporal,
        settings: { processing: { ...quick, refundFailed: true } },
      });
      const detail = await ended(client, await submit(client, ['https://a.example/1', 'https://a.example/~fail']));
      assert.equal(detail.refunded, 0.25);
      assert.equal(await client.balance(), 0.75);
    },
  );

  test(
    'spec 3: submissions accepted while Temporal is unreachable are processed once it responds',
    options,
    async (t) => {
      const first = await openService(t, 'sqlite', {
        temporal: { address: '127.0.0.1:1' },
        settings: { processing: quick },
      });
      const reference = await submit(first.client, ['https://a.example/1']);
      assert.equal((await first.client.detail(reference)).status, 'queued');
      await first.service.close();
      const second = await openService(t, 'sqlite', {
        database: first.url,
        temporal: { address: address!, taskQueue: `test-${randomUUID()}` },
        settings: { processing: quick },
      });
      const again = { client: Object.assign(second.client, { key: first.client.key }) };
      assert.equal((await ended(again.client, reference)).status, 'completed');
    },
  );
});
