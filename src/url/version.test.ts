import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatVersion, getSpan, getStart, isAhead, isLater, makeVersion, SPAN, toLatest } from './version.ts';

const span = fc.constantFrom(...Object.values(SPAN));
const version = fc.tuple(fc.integer({ min: -3 * 10 ** 8, max: 3 * 10 ** 8 }), span).map(([at, of]) => {
  return makeVersion(at, of);
});
const at = (text: string, of: keyof typeof SPAN) => makeVersion(Date.parse(text), SPAN[of]);

describe('a version', () => {
  test('is a safe integer, never 0, that has its moment and its span', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        span,
        (date, of) => {
          const made = makeVersion(date.getTime(), of);
          assert.ok(Number.isSafeInteger(made) && made !== 0);
          assert.deepEqual([getStart(made), getSpan(made)], [date.getTime(), of]);
        },
      ),
    );
  });

  test('is written in UTC as exactly as it was named', () => {
    const written = (['ms', 'second', 'minute', 'day', 'month', 'year'] as const).map((of) => {
      return formatVersion(at('2026-01-01T00:00:00Z', of));
    });
    assert.deepEqual(written, [
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00Z',
      '2026-01-01',
      '2026-01',
      '2026',
    ]);
  });

  test('may lie a day ahead: a date has no zone', () => {
    const now = Date.UTC(2026, 0, 1);
    assert.deepEqual(
      [isAhead(at('2026-01-02', 'day'), now), isAhead(at('2026-01-02T00:00:01Z', 'second'), now)],
      [false, true],
    );
  });
});

describe('the later of two versions', () => {
  test('is never both, nor itself, and nothing is later than what is unknown', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        assert.ok(!(isLater(a, b) && isLater(b, a)));
        assert.deepEqual(
          [isLater(a, a), isLater(a, null), isLater(null, a), isLater(null, null)],
          Array(4).fill(false),
        );
      }),
    );
  });

  test('of equal spans is the one whose moment is later', () => {
    fc.assert(
      fc.property(version, fc.integer({ min: 1, max: 10 ** 9 }), (a, ms) => {
        assert.ok(isLater(makeVersion(getStart(a) + ms, getSpan(a)), a));
      }),
    );
  });

  test('begins when all of the other one has passed, in any zone', () => {
    const day = at('2026-01-05', 'day');
    assert.equal(isLater(at('2026-01-06T13:59Z', 'minute'), day), false);
    assert.equal(isLater(at('2026-01-06T14:00Z', 'minute'), day), true);
    assert.equal(isLater(at('2026-01-07', 'day'), at('2026-01-06T09:59Z', 'minute')), true);
    assert.equal(isLater(at('2026-01-07', 'day'), at('2026-01-06T10:00Z', 'minute')), false);
    assert.equal(isLater(at('2026-01-05T10:00:59Z', 'second'), at('2026-01-05T10:00Z', 'minute')), false);
    assert.equal(isLater(at('2026-01-05T10:01:00Z', 'second'), at('2026-01-05T10:00Z', 'minute')), true);
  });

  test('is the latest of both, in whichever order; where neither is later, the finer', () => {
    fc.assert(
      fc.property(fc.option(version), fc.option(version), (a, b) => {
        const latest = toLatest(a, b);
        assert.equal(latest, toLatest(b, a));
        assert.ok(!isLater(a, latest) && !isLater(b, latest));
        if (a === null || b === null) assert.equal(latest, a ?? b);
        else if (!isLater(a, b) && !isLater(b, a)) assert.equal(getSpan(latest!), Math.min(getSpan(a), getSpan(b)));
      }),
    );
  });
});
