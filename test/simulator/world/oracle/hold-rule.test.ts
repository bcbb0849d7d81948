import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkHold, type ShownToRun } from './hold-rule.ts';

const SHOWN: ShownToRun = { run: 'run-2', watch: 'w0', listed: 100, known: 100, newest: 0, changed: 0, gone: 0 };
const POLICY = { maxNew: 5, maxNewPercent: 50, maxGonePercent: 30, maxChanged: 60, maxChangedPercent: 40 };

function count(
  code: string,
  more: Partial<ShownToRun>,
  { mayLackMoney = false, policy = POLICY as object } = {},
): number {
  const found: string[] = [];
  checkHold({ ...SHOWN, ...more }, [code], { policy: { ...POLICY, ...policy }, mayLackMoney }, (text) =>
    found.push(text),
  );
  return found.length;
}

describe('a run is held for what may be so', () => {
  for (const [code, within, beyond] of [
    ['max_new', { newest: 5 }, { newest: 6 }],
    ['max_new_percent', { listed: 30, known: 20, newest: 10 }, { listed: 30, known: 19, newest: 11 }],
    ['max_changed', { changed: 60 }, { changed: 61 }],
    ['max_changed_percent', { changed: 40 }, { changed: 41 }],
    ['max_changed_percent', { known: 20, changed: 19 }, { known: 20, changed: 20 }],
    ['max_gone_percent', { known: 70, gone: 30 }, { known: 69, gone: 30 }],
  ] as const) {
    test(`${code}: ${JSON.stringify(beyond)}, and not ${JSON.stringify(within)}`, () => {
      assert.equal(count(code, within), 1);
      assert.equal(count(code, beyond), 0);
    });
  }

  test('and for no guard that is off', () => {
    assert.equal(count('max_new', { newest: 99 }, { policy: { maxNew: null } }), 1);
  });

  test('and for money only where it may be short', () => {
    assert.equal(count('cap_reached', {}), 1);
    assert.equal(count('cap_reached', {}, { mayLackMoney: true }), 0);
  });
});
