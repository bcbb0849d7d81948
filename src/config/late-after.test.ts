import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Watch } from './config.ts';
import { getLateAfterMs } from './late-after.ts';

const DAY = 86_400_000;

describe('a watch without a complete run is late', () => {
  for (const [what, cron, days] of [
    ['after what is configured, where it runs daily', '0 4 * * *', 2],
    ['after its pause besides, where it runs on Mondays', '0 4 * * 1', 9],
    ['after the weekend besides, where it runs on working days', '0 4 * * 1-5', 5],
  ] as const)
    test(what, () => {
      const schedule = { cron, timezone: 'UTC', jitterSeconds: 0 } as unknown as Watch['schedule'];
      assert.equal(getLateAfterMs({ schedule, paused: false } as Watch, 2 * DAY), days * DAY);
    });

  test('never, where nobody expects a run', () => {
    assert.equal(getLateAfterMs({ schedule: null, paused: false } as Watch, 2 * DAY), null);
    const schedule = { cron: '0 4 * * *', timezone: 'UTC' } as unknown as Watch['schedule'];
    assert.equal(getLateAfterMs({ schedule, paused: true } as Watch, 2 * DAY), null);
  });
});
