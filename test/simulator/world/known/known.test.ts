import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findKnown, KNOWN } from './index.ts';

describe('known breaches', () => {
  test('each has a finding, its cause and its rule', () => {
    for (const [name, { finding, cause, expects }] of Object.entries(KNOWN)) {
      assert.match(finding, /^[A-Z]\d?$/, name);
      assert.ok(cause.length > 20, name);
      assert.match(expects.source, /^\^[a-z -]+: /, `${name} names its rule`);
    }
  });

  test('an index-check beyond the cap of its watch is M1, as far as checks explain it', () => {
    const breach = { rule: 'caps', text: '', cause: 'check watchPerDay', beyond: 5, ofChecks: 5 };
    assert.equal(findKnown(breach), 'M1');
    assert.equal(findKnown({ ...breach, beyond: 6 }), null);
    assert.equal(findKnown({ ...breach, cause: 'check perDay' }), null, 'a cap of the account');
    assert.equal(findKnown({ ...breach, cause: 'batch watchPerDay' }), null, 'a batch');
  });

  test('what no entry explains is not known', () => {
    assert.equal(findKnown({ rule: 'each version once', text: '', cause: 'again' }), null);
  });
});
