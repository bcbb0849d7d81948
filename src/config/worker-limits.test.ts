import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readWith } from '../../test/support/read-section.ts';

const read = (more: string) => readWith(more).worker;

describe('limits of a worker', () => {
  test('have defaults, and each can be set by itself', () => {
    const defaults = {
      slots: { workflows: 40, crawl: 200, submit: 200, track: 200, check: 50 },
      adaptiveCrawls: { minimum: 24, memory: 0.8, processor: 0.9 },
      pollers: 4,
      cachedWorkflows: 300,
    };
    assert.deepEqual(read(''), defaults);
    assert.deepEqual(read('worker: { slots: { crawl: 8 }, adaptive_crawls: { memory_percent: 70 }, pollers: 2 }'), {
      ...defaults,
      slots: { ...defaults.slots, crawl: 8 },
      adaptiveCrawls: { minimum: 24, memory: 0.7, processor: 0.9 },
      pollers: 2,
    });
  });

  for (const [what, settings, message] of [
    ['no slot for crawls', '{ slots: { crawl: 0 } }', /worker\.slots\.crawl/],
    [
      'a share above the whole',
      '{ adaptive_crawls: { processor_percent: 120 } }',
      /worker\.adaptive_crawls\.processor_percent/,
    ],
    [
      'a duty that does not exist',
      '{ slots: { crawls: 8 } }',
      /worker\.slots: unknown setting "crawls"; did you mean "crawl"/,
    ],
    ['one poller, when workflows need two', '{ pollers: 1 }', /worker\.pollers/],
  ] as const) {
    test(`${what}: a mistake with its place`, () => {
      assert.throws(() => read(`worker: ${settings}`), message);
    });
  }
});
