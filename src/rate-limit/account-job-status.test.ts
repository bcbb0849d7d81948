import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type FakeServiceOptions, startFakeService } from '../../test/fakes/service/fake-service.ts';
import { always, failure, success } from '../../test/fakes/service/replies.ts';
import { createApiClient } from '../api-client/client.ts';
import { NotFoundError } from '../api-client/errors.ts';
import type { IdempotencyKey, Reference } from '../submission/ids.ts';
import { createAccountJobStatus } from './account-job-status.ts';
import type { LimitedClient } from './limited-client.ts';
import { openRateLimits } from './limiter.ts';

const NOW = 1_800_000_000_000;

/** One job of a service; how an account reads its state, and with how many requests. */
async function openJob(t: TestContext, overrides: NonNullable<FakeServiceOptions['overrides']>) {
  const service = await startFakeService(t, { overrides });
  const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => 'any-key' });
  const store = await openRateLimits('sqlite::memory:', { now: () => NOW });
  t.after(() => Promise.all([client.close(), store.close()]));
  const body = JSON.stringify({ service: 'standard', project: 'Shop', urls: ['https://shop.example/a'] });
  await client.submit(body, 'sc1-0123456789abcdef' as IdempotencyKey);
  const api = { request: (_: string, request: (each: typeof client) => unknown) => request(client) } as LimitedClient;
  const positions = async () => ({ newer: new Map(), several: false });
  const settings = { gatherMs: 1, now: () => NOW };
  const status = createAccountJobStatus(api, store.getJobStatusCache('main'), positions, settings);
  const reference = service.jobs[0]!.reference as Reference;
  return { counts: service.counts, load: () => status.load(reference, NOW) };
}

describe('the job status of an account', () => {
  test('of a single job comes from its own address', async (t) => {
    const { counts, load } = await openJob(t, {});
    const { state } = await load();
    assert.ok(state.length > 0);
    assert.deepEqual([counts.detail, counts.list], [1, 0]);
  });

  test('comes from the list where the service does not find the job that it accepted', async (t) => {
    const { counts, load } = await openJob(t, { detail: () => failure(404, 'NOT_YET') });
    const { state } = await load();
    assert.ok(state.length > 0);
    assert.deepEqual([counts.detail, counts.list], [1, 1]);
  });

  test('is not known where the list does not have it either, and other errors ask no list', async (t) => {
    const empty = always(success({ submissions: [], total: 0 }));
    const absent = await openJob(t, { detail: () => failure(404, 'NOT_FOUND'), list: empty });
    await assert.rejects(absent.load(), NotFoundError);
    const broken = await openJob(t, { detail: () => failure(500, 'INTERNAL') });
    await assert.rejects(broken.load());
    assert.equal(broken.counts.list, 0);
  });
});
