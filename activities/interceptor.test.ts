import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { AuthenticationError, ServiceBusyError } from '../src/api-client/errors.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { createActivityInterceptor, toActivityFailure } from './interceptor.ts';

const fields = { endpoint: 'balance', status: 429, code: null, requestId: null, chargeState: 'none' } as const;

describe('toActivityFailure', () => {
  test('a denial of the rate limiter is a benign retry at its time', () => {
    const failure = toActivityFailure(new RateLimitedError('poll', { kind: 'wait', waitMs: 1_500, why: 'no room' }));
    assert.ok(isRetryLater(failure));
    assert.equal(failure.nextRetryDelay, 1_500);
    assert.equal(failure.category, ApplicationFailureCategory.BENIGN);
  });

  test('a ledger error fails the workflow with its code and message', () => {
    const failure = toActivityFailure(new LedgerError('UNKNOWN_BATCH', 'There is no batch 7.')) as ApplicationFailure;
    assert.deepEqual(
      [failure.type, failure.message, failure.nonRetryable],
      ['UNKNOWN_BATCH', 'There is no batch 7.', true],
    );
  });

  test("an API error keeps its class, its policy and the service's wait", () => {
    const limited = toActivityFailure(new ServiceBusyError('slow down', { ...fields, retryAfterMs: 7_000 }));
    assert.ok(limited instanceof ApplicationFailure);
    assert.deepEqual([limited.type, limited.nonRetryable, limited.nextRetryDelay], ['ServiceBusyError', false, 7_000]);
    const rejected = toActivityFailure(new AuthenticationError('no', { ...fields, retryAfterMs: null }));
    assert.ok(rejected instanceof ApplicationFailure);
    assert.deepEqual([rejected.type, rejected.nonRetryable], ['AuthenticationError', true]);
  });

  test('any other error stays unchanged', () => {
    const error = new TypeError('a defect');
    assert.equal(toActivityFailure(error), error);
  });
});

describe('createActivityInterceptor', () => {
  const run = async (activityType: string, work: () => Promise<unknown>) => {
    let heartbeats = 0;
    const context = { info: { activityType }, heartbeat: () => heartbeats++ } as unknown as Context;
    const result = createActivityInterceptor()(context).inbound?.execute?.({ args: [], headers: {} }, work);
    return { result, heartbeats: () => heartbeats };
  };

  test('a long activity sends heartbeats; the crawl sends its own', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    for (const [activityType, wanted] of [
      ['sendNextBatch', 2],
      ['crawlWatch', 0],
    ] as const) {
      const end = Promise.withResolvers<void>();
      const { result, heartbeats } = await run(activityType, () => end.promise);
      t.mock.timers.tick(7_000);
      end.resolve();
      await result;
      t.mock.timers.tick(7_000);
      assert.equal(heartbeats(), wanted, activityType);
    }
  });

  test('a module error is thrown as the failure that the server understands', async () => {
    const { result } = await run('sendNextBatch', () =>
      Promise.reject(new RateLimitedError('poll', { kind: 'wait', waitMs: 10, why: 'no room' })),
    );
    await assert.rejects(async () => result, isRetryLater);
  });
});
