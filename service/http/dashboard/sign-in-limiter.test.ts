import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signInLimiter } from './sign-in-limiter.ts';

const OWNER = { account: 'shop', address: '192.0.2.1', device: null };
const UNKNOWN_BROWSER = { account: 'shop', address: '198.51.100.7', device: null };

describe('attempts to sign in', () => {
  test('one address may try an account 10 times a minute, then waits as long as Retry-After says', () => {
    let time = 0;
    const attempt = signInLimiter(() => time);
    for (let index = 0; index < 10; index++) assert.equal(attempt(OWNER), 0);
    const wait = attempt(OWNER);
    assert.ok(wait > 0 && wait <= 61, String(wait));
    time += wait * 1_000;
    assert.equal(attempt(OWNER), 0);
  });

  test('attempts from another address do not lock the owner out', () => {
    const attempt = signInLimiter(() => 0);
    for (let index = 0; index < 1_000; index++) attempt(UNKNOWN_BROWSER);
    assert.equal(attempt(OWNER), 0);
  });

  test('attempts with invented names lock nobody else out', () => {
    const attempt = signInLimiter(() => 0);
    for (let index = 0; index < 1_000; index++) attempt({ ...UNKNOWN_BROWSER, account: `name ${index}` });
    assert.ok(attempt({ ...UNKNOWN_BROWSER, account: 'one more' }) > 0, 'the address itself is limited');
    assert.equal(attempt({ ...OWNER, account: 'another owner' }), 0);
  });

  test('many addresses are limited together, but never a browser that signed in before', () => {
    const attempt = signInLimiter(() => 0);
    for (let index = 0; index < 600; index++) {
      assert.equal(attempt({ ...UNKNOWN_BROWSER, address: `198.51.${index >> 8}.${index & 255}` }), 0);
    }
    assert.ok(attempt({ ...UNKNOWN_BROWSER, address: '203.0.113.1' }) > 0);
    assert.equal(attempt({ ...OWNER, device: 'known' }), 0);
  });

  test('counters are bounded; the oldest names are dropped first', () => {
    const attempt = signInLimiter(() => 0);
    for (let index = 0; index < 9; index++) attempt(OWNER);
    for (let index = 0; index < 9_000; index++)
      attempt({ ...UNKNOWN_BROWSER, address: `2001:db8:0:${index.toString(16)}::1` });
    attempt(OWNER);
    assert.ok(attempt(OWNER) > 0, 'a counter in use is kept');
  });
});
