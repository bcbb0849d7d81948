import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceTest } from '../../../test/support/service.ts';
import { DeniedPace } from './denied-pace.ts';

describe('429 answers of a key that keeps sending', () => {
  test('wait from the eleventh in a second on, and those of other keys do not', () => {
    let now = 5_000;
    const pace = new DeniedPace(() => now);
    assert.deepEqual(new Set(Array.from({ length: 10 }, () => pace.count('a'))), new Set([0]));
    assert.equal(pace.count('a'), 500);
    assert.equal(pace.count('b'), 0);
    now += 1_000;
    assert.equal(pace.count('a'), 0);
  });

  serviceTest(
    'come a few times a second on each connection',
    async ({ client }) => {
      await client.get('/balance');
      const end = performance.now() + 1_500;
      let denied = 0;
      const connections = Array.from({ length: 20 }, async () => {
        while (performance.now() < end) if ((await client.get('/balance')).status === 429) denied++;
      });
      await Promise.all(connections);
      assert.ok(denied >= 20 && denied < 150, `${denied}`);
    },
    { limits: { minute: { limit: 1, windowMs: 60_000 } } },
  );
});
