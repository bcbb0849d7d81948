import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type FakeServiceOptions, startFakeService } from '../../../test/fakes/service/fake-service.ts';
import type { Fault } from '../../../test/fakes/service/faults.ts';
import { SHOWS_URLS } from '../../../test/fakes/service/profile.ts';
import { RequestRefusedError, ServiceBusyError, ServiceUnavailableError } from '../errors.ts';
import { createClient } from './client.ts';

const KEY = 'canary-91c2';
const body = { service: 'standard', urls: ['https://shop.example/a', 'https://shop.example/b'] } as const;
const wanted = { ...body, urls: [...body.urls] };

/** A client whose waits take no time; `slept` holds them. */
async function openClient(t: TestContext, options: FakeServiceOptions = {}, maxWaitMs = 600_000) {
  const service = await startFakeService(t, { apiKey: KEY, priceKurus: 25, ...options });
  const slept: number[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    random: () => 0.5,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
      service.advance(ms);
    },
  };
  const client = createClient({ baseUrl: service.baseUrl, apiKey: KEY, maxWaitMs }, clock);
  t.after(() => client.close());
  return { service, client, slept };
}

describe('the exported client', () => {
  for (const fault of [
    'drop-before',
    'drop-after',
    'cut-after',
    'html-502-after',
    'error-503-before',
    'error-429-before',
    'slow-commit-after',
    'no-reference-after',
    'contradiction-after',
  ] satisfies Fault[]) {
    test(`${fault}: the same request is sent again, and charged once`, async (t) => {
      const { service, client, slept } = await openClient(t);
      service.faults.push(fault);
      const accepted = await client.submit(wanted);
      assert.ok(accepted.reference.length > 0);
      assert.equal(service.getCharged(), 50);
      assert.deepEqual([...service.breaches], []);
      assert.ok(slept.length > 0);
    });
  }

  test('the same request is charged once, also by another client, unless it gets another key', async (t) => {
    const { service, client } = await openClient(t);
    const first = await client.submit(wanted);
    const other = createClient({ baseUrl: `${service.baseUrl}/`, apiKey: () => KEY });
    t.after(() => other.close());
    const again = await other.submit(wanted);
    assert.deepEqual([first.replayed, again.replayed], [false, true]);
    assert.equal(again.reference, first.reference);
    const bought = await other.submit(wanted, { idempotencyKey: 'again-on-purpose' });
    assert.notEqual(bought.reference, first.reference);
    assert.equal(service.getCharged(), 100);
  });

  test('a refusal is not repeated and says what was charged', async (t) => {
    const { service, client } = await openClient(t, { balanceKurus: 10 });
    await assert.rejects(client.submit(wanted), (error) => {
      assert.ok(error instanceof RequestRefusedError);
      assert.deepEqual([error.status, error.chargeState], [402, 'none']);
      return true;
    });
    assert.equal(service.requests.length, 1);
  });

  test('after an attempt in doubt no error says that nothing was charged', async (t) => {
    const { service, client } = await openClient(t);
    service.faults.push('drop-after', 'error-402-before');
    await assert.rejects(client.submit(wanted), (error) => {
      assert.ok(error instanceof RequestRefusedError);
      assert.deepEqual([error.status, error.chargeState], [402, 'unknown']);
      assert.match(error.message, /may have been charged/);
      return true;
    });
    assert.equal((await client.submit(wanted)).replayed, true);
    assert.equal(service.getCharged(), 50);
  });

  test('a call ends when its next attempt would come too late', async (t) => {
    const { service, client, slept } = await openClient(t, {}, 10_000);
    for (let index = 0; index < 50; index++) service.faults.push('error-500-before');
    await assert.rejects(client.getBalance(), ServiceUnavailableError);
    assert.ok(slept.reduce((sum, ms) => sum + ms, 0) <= 10_000);
    assert.ok(service.requests.length > 2);
  });

  test('a call that waits for the limits alone ends by maxWaitMs, and says that nothing was charged', async (t) => {
    const { service, client, slept } = await openClient(t, {}, 10_000);
    const submit = (index: number) => client.submit({ ...wanted, urls: [`https://shop.example/${index}`] });
    for (let index = 0; index < 10; index++) await submit(index);
    await assert.rejects(submit(10), (error) => {
      assert.ok(error instanceof ServiceBusyError);
      assert.deepEqual([error.endpoint, error.status, error.chargeState], ['submit', null, 'none']);
      assert.deepEqual([error.retryAfterMs, slept], [60_000, []]);
      assert.match(error.message, /leave room in 60 seconds.*Nothing was sent and nothing was charged/);
      return true;
    });
    assert.equal(service.getCharged(), 250);
    assert.equal(await client.getBalance(), (100_000_000 - 250) * 10_000, 'a call that need not wait is answered');
  });

  test('a repeated request that would wait too long for the limits ends with what its last answer said', async (t) => {
    const { service, client } = await openClient(t, {}, 10_000);
    const submit = (index: number) => client.submit({ ...wanted, urls: [`https://shop.example/${index}`] });
    for (let index = 0; index < 9; index++) await submit(index);
    service.faults.push('drop-after');
    await assert.rejects(submit(9), (error) => {
      assert.ok(error instanceof ServiceUnavailableError);
      assert.equal(error.chargeState, 'unknown');
      return true;
    });
  });

  test('reads statistics and the state of the service, the latter without a limit', async (t) => {
    const { client, slept } = await openClient(t);
    const stats = await client.getStats();
    assert.equal(stats.balance, 100_000_000 * 10_000);
    assert.equal(typeof stats.shown, 'object');
    for (let index = 0; index < 130; index++) {
      const { version, available, shown } = await client.getService();
      assert.deepEqual([version, available, shown.version], ['1.0.0', true, '1.0.0']);
    }
    assert.deepEqual(slept, []);
  });

  test('the eleventh submission in a minute waits instead of being refused', async (t) => {
    const { service, client, slept } = await openClient(t);
    for (let index = 0; index < 11; index++)
      await client.submit({ ...wanted, urls: [`https://shop.example/${index}`] });
    assert.deepEqual(slept, [60_000]);
    assert.equal(service.answers.get('POST 429'), undefined);
  });

  test('what the service would refuse is not sent', async (t) => {
    const { service, client } = await openClient(t);
    const urls = Array.from({ length: 5_001 }, (_, index) => `https://shop.example/${index}`);
    await assert.rejects(client.submit({ urls }), RangeError);
    await assert.rejects(client.checkIndex({ urls: urls.slice(0, 51) }), RangeError);
    await assert.rejects(client.submit(wanted, { idempotencyKey: 'short' }), TypeError);
    assert.deepEqual(service.requests, []);
  });

  test('waits for the end of a submission, and reads what became of it', async (t) => {
    const { client, slept } = await openClient(t, { jobMs: () => 40_000, profile: SHOWS_URLS });
    const { reference } = await client.submit(wanted);
    const ended = await client.waitForEnd(reference);
    assert.equal(ended.state, 'completed');
    assert.ok(slept.length >= 2 && slept.every((ms) => ms === 15_000), slept.join(' '));
    const { urls } = await client.getSubmission(reference);
    assert.deepEqual(
      urls.map(({ url }) => url),
      wanted.urls,
    );
    const { submissions } = await client.listSubmissions({ limit: 10 });
    assert.deepEqual(
      submissions.map((each) => each.reference),
      [reference],
    );
    assert.equal(await client.getBalance(), (100_000_000 - 50) * 10_000);
  });
});
