import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiClient } from '../api-client/client.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import { createLimitedClient } from './limited-client.ts';
import { openRateLimits, RateLimitedError } from './limiter.ts';
import { toRateLimits } from './limits.ts';

/** Fails on any request: the tests check when a request may go. */
const client: ApiClient = new Proxy({} as ApiClient, {
  get: (_, name) => (name === 'requireKey' ? () => undefined : assert.fail('a request was sent')),
});

const ANSWER: ApiAnswer = {
  ...{ endpoint: 'me', status: 200, requestId: null, retryAfterMs: null, budgets: [], tookMs: 1 },
  body: { kind: 'none', what: 'not read' } as never,
};

/** An account that used its ten submissions of the minute, the first of them at `clock.at`. */
async function usedUp(t: { after(end: () => unknown): void }) {
  const clock = { at: 1_800_000_000_000 };
  const slept: number[] = [];
  const store = await openRateLimits('sqlite::memory:', { now: () => clock.at });
  t.after(() => store.close());
  const api = createLimitedClient(client, store.getLimiter('main', toRateLimits()), async (ms) => {
    slept.push(ms);
    clock.at += ms;
  });
  for (let n = 0; n < 10; n++) {
    const permit = await store.getLimiter('main', toRateLimits()).acquire('submission');
    assert.ok(permit.kind === 'permit');
    await store.getLimiter('main', toRateLimits()).commit(permit);
  }
  return { api, clock, slept };
}

describe('the limited client', () => {
  test('retries a distant slot shortly before it is free', async (t) => {
    const { api, slept } = await usedUp(t);
    await assert.rejects(
      api.reserved('submission', () => assert.fail('went')),
      (error: Error) =>
        error instanceof RateLimitedError && /nothing was sent/.test(error.message) && error.waitMs === 60_250 - 1_500,
    );
    assert.deepEqual(slept, []);
  });

  test('takes a near slot in the millisecond when it is free', async (t) => {
    const { api, clock, slept } = await usedUp(t);
    const opens = clock.at + 60_250;
    clock.at = opens - 1_400;
    assert.equal(await api.reserved('submission', async () => clock.at), opens);
    assert.deepEqual(slept, [1_400]);
  });

  test('detects an unreadable key before it records an attempt, without using a request', async (t) => {
    const store = await openRateLimits('sqlite::memory:', { now: () => 1_800_000_000_000 });
    t.after(() => store.close());
    const keyless: ApiClient = new Proxy({} as ApiClient, {
      get: (_, name) => () => assert.fail(name === 'requireKey' ? 'the key file is missing' : 'a request was sent'),
    });
    const api = createLimitedClient(keyless, store.getLimiter('main', toRateLimits()));
    for (let n = 0; n < 11; n++) {
      await assert.rejects(
        api.reserved('submission', () => assert.fail('an attempt was begun')),
        /the key file is missing/,
      );
    }
  });

  test('counts a reserved request that was sent, whatever came of it, and none that was not', async (t) => {
    const store = await openRateLimits('sqlite::memory:', { now: () => 1_800_000_000_000 });
    t.after(() => store.close());
    const api = createLimitedClient(client, store.getLimiter('main', toRateLimits()));
    for (let n = 0; n < 15; n++) assert.equal(await api.reserved('submission', async () => 'not sent'), 'not sent');
    for (let n = 0; n < 10; n++) {
      const sent = api.reserved('submission', (send) =>
        send(async () => (n % 2 === 0 ? ANSWER : assert.fail('no answer'))),
      );
      if (n % 2 === 0) assert.equal(await sent, ANSWER);
      else await assert.rejects(sent, /no answer/);
    }
    await assert.rejects(
      api.reserved('submission', () => assert.fail('the eleventh of a minute went')),
      RateLimitedError,
    );
  });

  test('leaves slots to other accounts while twelve requests wait for the service', async (t) => {
    const store = await openRateLimits('sqlite::memory:', { now: () => 1_800_000_000_000 });
    t.after(() => store.close());
    const api = createLimitedClient(client, store.getLimiter('main', toRateLimits()));
    const { promise: responds, resolve: respond } = Promise.withResolvers<void>();
    const send = async () => {
      await responds;
      return ANSWER;
    };
    const waiting = Array.from({ length: 12 }, () => api.request('poll', send));
    for (const lane of ['poll', 'check'] as const) {
      await assert.rejects(
        api.request(lane, send),
        (error: Error) => error instanceof RateLimitedError && error.waitMs === 5_000,
      );
    }
    assert.equal(await api.reserved('submission', async () => 'sent'), 'sent', 'paid work is never denied for it');
    respond();
    await Promise.all(waiting);
    await api.request('poll', send);
  });
});
