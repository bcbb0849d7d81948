import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Kernel } from '../../platform/kernel.ts';
import type { NetRequest } from '../../platform/network.ts';
import { RequestReader } from './request-reader.ts';
import { WatchNames } from './watch-names.ts';

/** A submission of one URL of the sitemap `w0` or `w1`. */
const toSubmission = (sitemap: string): NetRequest =>
  ({
    method: 'POST',
    path: '/api/v1/submissions',
    headers: { 'idempotency-key': `key-of-${sitemap}` },
    body: Buffer.from(
      JSON.stringify({ urls: [`https://a.example/${sitemap}`], project: `Project ${sitemap}`, service: 'fast' }),
    ),
  }) as unknown as NetRequest;

function play(between: (reader: RequestReader) => void): readonly string[] {
  const found: string[] = [];
  const names = new WatchNames();
  names.configure(new Map(Object.entries({ w0: 'w0', w1: 'w1' })));
  const reader = new RequestReader({
    kernel: new Kernel(1, 0),
    toReport: (rule) => (text) => {
      if (rule === 'fair order') found.push(text);
    },
    names,
    getOrder: () => 0,
    wasTried: () => false,
    findLabel: () => ({ run: null, isRunComplete: true, isHeld: false, plannedAfter: 0 }),
    listReady: () => [{ watch: 'w1', urls: 1 }],
    findTurn: () => null,
    findCheckWatch: () => null,
  });
  for (let n = 0; n < 4; n++) {
    reader.sent(toSubmission('w0'), 'simulated', true);
    between(reader);
  }
  return found;
}

describe('turns of a watch beside another', () => {
  test('a batch that is ready, and is passed over for long: a breach', () => {
    assert.match(play(() => undefined)[0] ?? '', /^w0 sent 303 URLs/);
  });

  test('one whose connection nobody took had its turn', () => {
    assert.deepEqual(
      play((reader) => reader.foundNobody(toSubmission('w1'), 'simulated')),
      [],
    );
  });

  test('an index-check that found nobody is no turn', () => {
    const check = { ...toSubmission('w1'), path: '/api/v1/index-check' };
    assert.equal(play((reader) => reader.foundNobody(check, 'simulated')).length > 0, true);
  });
});
