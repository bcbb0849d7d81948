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

  test('what no entry explains is not known', () => {
    assert.equal(findKnown({ rule: 'each version once', text: '', cause: 'again' }), null);
  });
});
