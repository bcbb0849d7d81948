import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reference } from '../submission/ids.ts';
import { boundLoads } from './bound-loads.ts';
import type { ReportedStatus } from './job-status-cache.ts';
import { RateLimitedError } from './limiter.ts';

const START = 1_800_000_000_000;
const SLOT_BOUND = 20;

const toStatus = (reference: Reference): ReportedStatus => ({ reference, state: 'processing', allCompleted: null });
const ref = (n: number) => `R-${n}` as Reference;
/** Lets what is settled go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A loader that answers when the test says so, on a clock of the test's own. */
function slowLoader() {
  const clock = { at: START };
  const asked: { readonly reference: Reference; readonly notBefore: number; answer(): void }[] = [];
  const timers: { readonly at: number; fire(): void }[] = [];
  const bounded = boundLoads(
    {
      load: (reference, notBefore) =>
        new Promise((resolve) => {
          asked.push({ reference, notBefore, answer: () => resolve(toStatus(reference)) });
        }),
    },
    () => clock.at,
    (ms) => new Promise((fire) => timers.push({ at: clock.at + ms, fire })),
  );
  const load = (n: number) => {
    const outcome = { is: 'waiting' };
    bounded.load(ref(n), clock.at).then(
      () => (outcome.is = 'answered'),
      (error: unknown) => (outcome.is = error instanceof RateLimitedError ? 'denied' : String(error)),
    );
    return outcome;
  };
  async function pass(ms: number): Promise<void> {
    clock.at += ms;
    for (const { at, fire } of timers) if (at <= clock.at) fire();
    await settle();
  }
  return { load, asked, pass };
}

const countOf = (loads: readonly { readonly is: string }[], is: string) =>
  loads.filter((load) => load.is === is).length;

describe('the loads of an account', () => {
  test('are not bounded while the service answers within moments', async () => {
    const { load, asked, pass } = slowLoader();
    const loads = Array.from({ length: 300 }, (_, n) => load(n));
    await pass(1_500);
    for (const { answer } of asked) answer();
    await settle();
    assert.equal(countOf(loads, 'answered'), 300);
  });

  test('leave all but some slots to other accounts while the service is slow', async () => {
    const { load, pass } = slowLoader();
    const loads = Array.from({ length: 300 }, (_, n) => load(n));
    await pass(2_000);
    assert.deepEqual([countOf(loads, 'waiting'), countOf(loads, 'denied')], [SLOT_BOUND, 300 - SLOT_BOUND]);
    await pass(1);
    const later = Array.from({ length: 100 }, (_, n) => load(300 + n));
    await settle();
    assert.equal(countOf(later, 'denied'), 100, 'at once: they take no slot for two seconds');
  });

  test('are taken while the service is slow and few wait for it', async () => {
    const { load, pass } = slowLoader();
    load(0);
    await pass(2_001);
    const later = Array.from({ length: SLOT_BOUND }, (_, n) => load(1 + n));
    await settle();
    assert.equal(countOf(later, 'denied'), 1, 'all slots but that of the first');
  });

  test('that were denied are answered by the response that others waited for', async () => {
    const { load, asked, pass } = slowLoader();
    load(1);
    await pass(30_000);
    asked[0]?.answer();
    await settle();
    load(2);
    assert.equal(asked[1]?.notBefore, START, 'the response was requested 30 s ago, and counts as fresh');
  });

  test('ask for a new response again once the service is quick', async () => {
    const { load, asked, pass } = slowLoader();
    for (const tookMs of [30_000, 100]) {
      load(1);
      await pass(tookMs);
      asked.at(-1)?.answer();
      await settle();
    }
    load(2);
    assert.equal(asked.at(-1)?.notBefore, START + 30_100);
  });
});
