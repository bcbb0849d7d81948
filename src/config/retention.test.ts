import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readWith } from '../../test/support/read-section.ts';

const DAY = 86_400_000;

const read = (more: string) => readWith(more).retention;

describe('retention settings', () => {
  test('are off until they are written, and then have defaults', () => {
    assert.equal(read(''), null);
    assert.deepEqual(read('retention: { runs: 30d, archive: kept }'), {
      ages: { runs: 30 * DAY, batches: 180 * DAY, index_checks: 365 * DAY },
      archive: '/etc/kept',
      cron: '40 3 * * *',
      timezone: 'UTC',
    });
  });

  for (const [what, settings, message] of [
    ['an age below a week', '{ batches: 2h }', /retention\.batches: "2h" is too short; write 7d or more/],
    ['an age that is none', '{ batches: soon }', /retention\.batches/],
    ['an impossible time', '{ cron: "61 3 * * *" }', /retention\.cron: "61" of/],
  ] as const) {
    test(`${what} is a mistake with its place`, () => {
      assert.throws(() => read(`retention: ${settings}`), message);
    });
  }
});
