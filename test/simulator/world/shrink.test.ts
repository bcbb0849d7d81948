import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Scenario, toScenario } from './scenario.ts';
import { shrink, toKind } from './shrink.ts';

describe('shrink', () => {
  test('leaves only what the breach needs', async () => {
    const scenario: Scenario = { ...toScenario(7), faultShare: 0.3, workers: 2 };
    const acts = ['run', 'reset', 'check', 'crash worker', 'reset', 'wake'] as const;
    const long = { ...scenario, acts: acts.map((kind, n) => ({ at: n * 1_000, kind, forMs: 5_000, salt: n })) };
    let plays = 0;
    const small = await shrink(long, 'page 17 was bought 2 times', async ({ acts: played, faultShare }) => {
      plays += 1;
      const fails = faultShare > 0 && played.some(({ kind }) => kind === 'crash worker');
      return { breaches: fails ? ['page 3 was bought 3 times'] : played.length === 1 ? ['another breach'] : [] };
    });
    assert.deepEqual(
      small.acts.map(({ kind, forMs }) => ({ kind, forMs })),
      [{ kind: 'crash worker', forMs: 0 }],
    );
    assert.equal(small.faultShare, 0.3);
    assert.equal(small.workers, 1);
    assert.equal(small.watches.size, 1);
    assert.equal([...small.watches.values()].flat().length, 1);
    assert.ok(plays < 150, `${plays} plays`);
  });

  test('two breaches are of one kind when they differ in numbers and names only', () => {
    const text = (url: string, times: number) =>
      `${url} was bought ${times} times, at most 1 are wanted (sub_${times}a)`;
    assert.equal(toKind(text('https://a.example/1', 2)), toKind(text('https://b.example/2', 3)));
    assert.notEqual(
      toKind(text('https://a.example/1', 2)),
      toKind('https://a.example/1 is listed, and was never bought'),
    );
  });
});
