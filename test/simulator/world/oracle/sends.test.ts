import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_CAPS } from './caps-rule.ts';
import { type Moment, Sends } from './sends.ts';

const LABEL = { run: 'run-1', isRunComplete: true, isHeld: false, plannedAfter: 1 };
const BATCH = {
  key: 'k',
  body: '{}',
  urls: ['a'],
  level: 'fast' as const,
  account: 'simulated',
  watch: 'w0',
  sitemap: 'w0',
  label: LABEL,
};
const at = (elapsed: number, more: Partial<Moment> = {}): Moment => ({
  ...{ elapsed, day: 0, decidedDay: more.day ?? 0, caps: { ...NO_CAPS, perDay: elapsed }, floor: elapsed },
  ...{ order: elapsed, isRefused: false },
  ...more,
});

function send(...moments: Moment[]) {
  const sends = new Sends();
  for (const moment of moments) sends.batchLeft(BATCH, moment);
  return { sends, sent: sends.findBatch('k')! };
}

describe('a batch that is sent again', () => {
  test('in doubt: counts from its first attempt, under the loosest cap and the lowest floor', () => {
    const { sent } = send(at(5), at(9));
    assert.deepEqual([sent.since, sent.caps.perDay, sent.floor], [5, 9, 5]);
  });

  test('after a certain refusal: counts from the next attempt alone', () => {
    const { sent } = send(at(9, { isRefused: true }), at(5));
    assert.deepEqual([sent.since, sent.caps.perDay, sent.floor], [5, 5, 5]);
  });

  test('after the service itself has refused it, and its worker knows: the same', () => {
    const sends = new Sends();
    sends.batchLeft(BATCH, at(5));
    sends.refused('k');
    sends.batchLeft(BATCH, at(9));
    assert.equal(sends.findBatch('k')!.since, 9);
  });

  test('after one refusal of two attempts: the other one may be charged', () => {
    const { sends } = send(at(5), at(6));
    sends.refused('k');
    sends.batchLeft(BATCH, at(9));
    assert.equal(sends.findBatch('k')!.since, 5);
    assert.deepEqual([...sends.listInDoubt('simulated')], ['a']);
    assert.deepEqual([...sends.listInDoubt('other')], []);
  });

  test('buys what crawls had before its last attempt: the service reads the page after that', () => {
    assert.equal(send(at(5), at(9)).sent.sentAfter, 9);
  });
});

describe('an index-check', () => {
  test('has the days of its attempts, and that of the first answer', () => {
    const sends = new Sends();
    for (const day of [3, 4]) sends.checkLeft('c', { account: 'simulated', watch: 'w0' }, at(0, { day }));
    for (const day of [5, 6]) sends.answered('c', { elapsed: 0, day });
    const { firstDay, day, answeredDay } = sends.findCheck('c')!;
    assert.deepEqual([firstDay, day, answeredDay], [3, 4, 5]);
  });

  test('may have the day of its decision, where a clock jumped before it left', () => {
    const sends = new Sends();
    sends.checkLeft('c', { account: 'simulated', watch: 'w0' }, at(0, { day: 3, decidedDay: 1 }));
    assert.equal(sends.findCheck('c')!.firstDay, 1);
  });
});
